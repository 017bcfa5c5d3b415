import torch
from torch import nn


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.mse = nn.MSELoss()

    def forward(self, out, target):
        mel = self.mse(out[0], target[0])
        gate = self.mse(out[1], target[1])
        return mel + gate, (mel.item(), gate.item())


def train(model, loader, optimizer):
    model.cuda()
    criterion = Both()
    for i, (x, y) in enumerate(loader):
        loss, items = criterion(model(x.cuda()), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"{i} {items[0]:.3f} {items[1]:.3f}")
