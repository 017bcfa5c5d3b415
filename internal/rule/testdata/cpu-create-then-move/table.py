import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        pos = torch.arange(x.size(1)).float().unsqueeze(1)
        div = torch.exp(torch.arange(0, self.dim, 2).float())
        table = torch.zeros(x.size(1), self.dim)
        table[:, 0::2] = torch.sin(pos * div)
        table[:, 1::2] = torch.cos(pos * div)
        return x + table.to(x.device)  # want SAT312 "created on the host"


class Copied(nn.Module):
    def forward(self, x, rows):
        table = torch.zeros(x.size(1), 8)
        for i, r in enumerate(rows):
            table[i, : len(r)] = torch.as_tensor(r)
        return x + table.to(x.device)


def train(loader, optimizer):
    a, b = Position(8).cuda(), Copied().cuda()
    for x, rows in loader:
        b(a(x.cuda()), rows).sum().backward()
        optimizer.step()
