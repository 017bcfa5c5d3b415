"""The rows of a weight, one after the other."""

import torch
from torch import nn


class Nearest(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(count, width))
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(width)) for _ in range(3)])

    def forward(self, x):
        distances = []
        for center in self.centers:  # want SAT319 "Python computes on self.centers"
            distances.append(((x - center) ** 2).sum(-1))
        nearest = torch.stack(distances, 1).min(1)[0].mean()
        for scale in self.scales:
            nearest = nearest * scale.mean()
        return nearest


def train(loader):
    model = Nearest(64, 256).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
