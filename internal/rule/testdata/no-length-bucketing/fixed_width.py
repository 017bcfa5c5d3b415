import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(80, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Fixed:
    def __init__(self):
        self.width = 192

    def __call__(self, batch):
        bands = batch[0][0].size(0)
        mels = torch.zeros(len(batch), bands, self.width)  # as wide in each batch
        for i, (mel, _) in enumerate(batch):
            mels[i, :, : mel.size(1)] = mel
        return mels, torch.tensor([label for _, label in batch])


class Longest:
    def __call__(self, batch):
        longest = max(mel.size(1) for mel, _ in batch)
        mels = torch.zeros(len(batch), 80, longest)
        for i, (mel, _) in enumerate(batch):
            mels[i, :, : mel.size(1)] = mel
        return mels, torch.tensor([label for _, label in batch])


def train(loader):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.cuda().mean(-1)), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(DataLoader(sounds, batch_size=32, shuffle=True, num_workers=4, collate_fn=Fixed()))
train(DataLoader(sounds, batch_size=32, shuffle=True, num_workers=4, collate_fn=Longest()))  # want SAT114 "padded to the longest"
