import torch
from torch import nn


class Dot(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=2)

    def forward(self, q, k, v):
        weights = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
        weights = self.softmax(weights)  # want SAT409 "handwritten"
        return torch.bmm(weights, v), weights


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.dot = Dot()
        self.out = nn.Linear(64, 64)

    def forward(self, x):
        y, weights = self.dot(x, x, x)
        y = self.out(y)
        return y + x, weights


class Encoder(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(depth)])

    def forward(self, x, return_weights=False):
        kept = []
        for layer in self.layers:
            x, weights = layer(x)
            if return_weights:
                kept += [weights]
        if return_weights:
            return x, kept
        return x
