"""Batches that are unpacked for a model: which of their parts lie on the GPU, the function that moves them tells."""

import torch


def moved(batch, device):
    if len(batch) == 4:
        names, x, lengths, longest = batch
        return names, x.to(device), lengths.to(device), longest
    if len(batch) == 2:
        names, x = batch
        return names, x.to(device)


class Pooled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(8, 1)

    def forward(self, x, lengths, longest):
        x = x[:, :longest]
        rows = []
        for row, n in zip(x, lengths):
            rows.append(row[:n].mean(0))  # want SAT317 "row.:n. waits for n"
        for row, n in zip(x, lengths):
            rows.append(row[n:].mean(0))  # told SAT317 "so does row"
        return self.out(torch.stack(rows))


def train(loader):
    model = Pooled().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        batch = moved(batch, "cuda")
        loss = model(*(batch[1:])).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(range(10)))
