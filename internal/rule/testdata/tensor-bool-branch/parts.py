"""A function that returns a tensor and a number: the number is known to the host."""
import torch
from torch import nn


def cut(x, size):
    rest = size - x.shape[1] % size
    x = torch.nn.functional.pad(x, (0, rest))
    return x.view(len(x), -1, size), rest


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        parts, rest = cut(x, 8)
        y = self.body(parts).flatten(1)
        if rest > 0:
            y = y[:, :-rest]
        if parts.max() > 10:  # want SAT305 "parts.max"
            y = y / 2
        return y


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
