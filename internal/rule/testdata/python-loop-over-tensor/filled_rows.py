import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(1, 8, 3)

    def forward(self, x, lengths):
        x = self.layer(x)
        mask = torch.zeros(x.size(), dtype=torch.bool, device=x.device)
        for i, length in enumerate(lengths):  # want SAT319 "one row at a time"
            if mask[i].size(2) > length:
                mask[i].narrow(2, length, mask[i].size(2) - length).fill_(1)
        rows = [torch.zeros(3) for _ in lengths]
        for i, length in enumerate(lengths):
            rows[i].fill_(length)  # a list on the host
        return x.masked_fill(mask, 0)


def train(loader):
    model = Masked().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, lengths in loader:
        loss = model(x.cuda(), lengths).mean()
        loss.backward()
        optimizer.step()
