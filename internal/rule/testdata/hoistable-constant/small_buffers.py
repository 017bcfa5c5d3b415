import torch
from torch import nn


class Frozen(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("weight", torch.ones(n))
        self.register_buffer("bias", torch.zeros(n))
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("var", torch.ones(n))

    def forward(self, x):
        weight = self.weight.reshape(1, -1, 1, 1)
        var = self.var.reshape(1, -1, 1, 1)
        scale = weight * (var + 1e-5).rsqrt()  # want SAT318 "from fixed buffers in every step; a few small kernels"
        shift = self.bias.reshape(1, -1, 1, 1) - self.mean.reshape(1, -1, 1, 1) * scale
        return x * scale + shift


class Running(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mean", torch.zeros(n))
        self.register_buffer("var", torch.ones(n))

    def forward(self, x):
        if self.training:
            self.mean.mul_(0.9).add_(x.mean((0, 2, 3)), alpha=0.1)
        self.var = self.var * 0.9 + 0.1 * x.var((0, 2, 3))
        scale = (self.var + 1e-5).rsqrt() * 2
        shift = self.mean * scale
        return x * scale[:, None, None] - shift[:, None, None]


def train(loader):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), Frozen(64), nn.ReLU(), nn.Conv2d(64, 64, 3), Running(64)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
