import torch
from torch import nn


def evaluate(model, loader, criterion):
    model.eval()
    total = 0
    for x, y in loader:
        out = model(x.cuda())  # want SAT512 "never computed"
        total += criterion(out, y.cuda()).item()
    return total


class Trainer:
    def __init__(self):
        self.net = nn.Linear(3, 3)

    def validate(self, loader):
        self.net.eval()
        return [self.step(x) for x in loader]

    def step(self, x):
        return x

    def test_epoch(self, loader):
        for x in loader:
            print(self.net(x))  # want SAT512 "never computed"
