import math

import torch
from torch import nn
import torch.nn.functional as F


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.scale * (x - mean) / (std + 1e-6) + self.shift  # want SAT421 "layer_norm is written"


class Centered(nn.Module):
    def forward(self, x):
        mean = torch.mean(x, dim=-1, keepdim=True)
        spread = torch.mean((x - mean) ** 2, dim=-1, keepdim=True)
        return (x - mean) * torch.rsqrt(spread + 1e-5)  # want SAT421 "layer_norm is written"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.centered = Norm(64), Centered()

    def forward(self, x):
        x = self.centered(self.norm(x))
        x = x * torch.tanh(F.softplus(x))  # want SAT421 "mish is written"
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))  # want SAT421 "gelu is written"


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

