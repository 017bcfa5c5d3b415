import math

import numpy as np
import torch
import torch.nn.functional as F
import torchmetrics
from torch import nn


def positions(length, dim, device):
    at = torch.arange(length, device=device).float().unsqueeze(1)
    rate = torch.exp(torch.arange(0, dim, 2, device=device) * (-math.log(10000.0) / dim))
    table = torch.zeros(length, dim, device=device)
    table[:, 0::2] = torch.sin(at * rate)
    table[:, 1::2] = torch.cos(at * rate)
    return table


class Net(nn.Module):
    def __init__(self, dim=64, size=32):
        super().__init__()
        self.dim, self.size = dim, size
        self.inner = nn.Linear(dim, dim)
        self.kept = None
        self.scale = nn.Parameter(torch.ones(dim))

    def grid(self, device):
        y, x = torch.meshgrid(torch.arange(self.size, device=device), torch.arange(self.size, device=device))
        return torch.stack([x, y], -1).float()

    def longer(self, x):
        if self.kept is not None:
            return self.kept
        at = torch.arange(0, self.dim, 2, device=x.device).float()
        self.kept = torch.exp(at * 2).sin()
        return self.kept

    def forward(self, x, lengths):
        h = self.inner(x) + positions(x.size(1), self.dim, x.device)  # want SAT318 "a few small kernels"
        seen = torch.arange(x.size(1), device=x.device)[None] < lengths[:, None]
        rate = torch.exp(-torch.exp(self.scale))
        return h * rate * seen.unsqueeze(-1) * self.longer(x)


class Boxes(Net):
    def forward(self, x, lengths):
        return self.inner(x) + self.grid(x.device).sum()  # want SAT318 "self.grid.* never changes; a few small kernels"


def noised(x, steps=1000):
    betas = torch.linspace(1e-4, 0.02, steps, device=x.device)  # want SAT318 "never changes; a few small kernels"
    kept = torch.cumprod(1 - betas, 0)
    t = torch.randint(0, steps, (x.size(0),), device=x.device)
    return kept[t].view(-1, 1, 1) * x


def train(loader):
    net, boxes = Net().cuda(), Boxes().cuda()
    optimizer = torch.optim.AdamW([*net.parameters(), *boxes.parameters()])
    for epoch in range(10):
        for x, y, lengths in loader:
            x, y, lengths = x.cuda(), y.cuda(), lengths.cuda()
            right = torchmetrics.Accuracy(task="binary").to("cuda")  # want SAT318 "Accuracy is built in every step"
            weigh = nn.CrossEntropyLoss(weight=torch.ones(10, device="cuda") * 4)
            plain = nn.CrossEntropyLoss()
            out = net(noised(x), lengths) + boxes(x, lengths)
            drawn = np.linspace(0, epoch, 5)
            loss = weigh(out, y) + plain(out, y) + F.mse_loss(out, out * float(drawn[1]))
            right.update(out, y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)

    def forward(self, x):
        h = self.inner(x)
        scores = h @ h.transpose(1, 2)
        later = torch.ones(x.size(1), x.size(1), device=x.device).triu(1).bool()  # want SAT318 "changes only with the length"
        return scores.masked_fill(later, -1e9).softmax(-1) @ h


def causal(loader):
    model = Causal().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
