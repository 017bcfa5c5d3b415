import torch
from torch import nn


class Renderer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(64, 64)

    def forward(self, x):
        out = self.net(x)
        _, index = torch.sort(out, dim=-1)
        rows = torch.arange(out.size(0))[:, None].expand(out.size(0), 64)
        return out[rows, index]
