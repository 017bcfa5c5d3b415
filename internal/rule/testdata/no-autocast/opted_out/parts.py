import torch
from torch import nn


class Rotary(nn.Module):
    @torch.autocast("cuda", enabled=False)
    def forward(self, x):
        return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.rotary, self.last = nn.Linear(512, 2048), Rotary(), nn.Linear(2048, 512)

    def forward(self, x):
        return self.last(self.rotary(self.first(x)))
