"""Keywords that are handed on hold what somebody gives by that name, and nothing else."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader


class Given(nn.Module):
    def __init__(self, size, limit=None):
        super().__init__()
        self.limit = limit
        self.inner = nn.Linear(size, 10)

    def forward(self, x):
        x = self.inner(x)
        if self.limit is not None:
            print(x.max().item())  # want SAT301 "in every step$"
        return x


class Limited(Given):
    def __init__(self, depth=3, **kwargs):
        super().__init__(**kwargs)
        self.depth = depth


class Left(nn.Module):
    def __init__(self, size, remap=None):
        super().__init__()
        self.remap = remap
        self.inner = nn.Linear(size, 10)

    def forward(self, x):
        x = self.inner(x)
        if self.remap is not None:
            print(x.max().item())  # want SAT301 "needs self.remap is not None"
        return x


def small(**kwargs):
    return Left(size=64, **kwargs)


def large(**kwargs):
    return Left(size=256, **kwargs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="small")
    args = parser.parse_args()
    first, second = Limited(size=64, limit=[1.0, 2.0]).cuda(), globals()[args.model]().cuda()
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    for x, y in DataLoader(torch.load("data"), batch_size=64, num_workers=4):
        loss = nn.functional.cross_entropy(first(x.cuda()) + second(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()


main()
