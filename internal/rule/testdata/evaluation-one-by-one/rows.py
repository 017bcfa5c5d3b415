"""Batches of one that are made as a row of zeros, or by a shape."""

import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(50, 50)

    def forward(self, x):
        return self.layer(x)


@torch.no_grad()
def rank_users(model, histories, device):
    model.eval()
    hits = 0
    for user in histories:
        row = np.zeros((1, 50), dtype=np.int64)
        row[0, : len(user)] = user
        hits += int(model(torch.from_numpy(row).to(device)).argmax() == user[-1])
    model.train()
    return hits


@torch.no_grad()
def reshaped(model, samples, device):
    model.eval()
    total = 0.0
    for sample in samples:
        total += float(model(sample.view(1, -1).to(device)).mean())
    model.train()
    return total


@torch.no_grad()
def in_batches(model, loader, device):
    model.eval()
    start = torch.zeros(1, 8, device=device)
    total = 0.0
    for x in loader:
        total += model(x.to(device) + start).mean()
    model.train()
    return float(total)


def main(loader, held, histories):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(rank_users(model, histories, "cuda"))  # want SAT709 "one sample at a time"
        print(reshaped(model, histories, "cuda"))  # want SAT709 "one sample at a time"
        print(in_batches(model, held, "cuda"))
