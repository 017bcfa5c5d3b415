"""A physics program that solves equations needs the digits."""

import torch
from torch import nn

torch.set_default_dtype(torch.float64)


def main(loader):
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for a, b in loader:
        loss = (model(a.cuda()) - torch.linalg.solve(a.cuda(), b.cuda())).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
