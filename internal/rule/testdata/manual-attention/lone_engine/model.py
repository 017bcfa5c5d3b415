import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        scores = torch.bmm(self.q(x), self.k(x).transpose(1, 2))
        weights = torch.softmax(scores / 8, dim=-1)  # want SAT409 "handwritten attention"
        return torch.bmm(weights, self.v(x))
