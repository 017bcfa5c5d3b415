import torch
from torch import nn


class Blocks(nn.Module):
    def __init__(self, norm_first=False):
        super().__init__()
        self.attention = nn.ModuleList()
        self.norms = nn.ModuleList([nn.LayerNorm(256) for _ in range(2)])
        self.norm_first = norm_first
        for _ in range(2):
            layer = nn.MultiheadAttention(256, 4)
            self.attention.append(layer)

    def forward(self, x):
        for i in range(len(self.attention)):
            if self.norm_first:
                y = self.norms[i](x)
                out, _ = self.attention[i](y, y, y)
                x = x + out
            else:
                out, _ = self.attention[i](x, x, x)  # want SAT417 "nothing reads"
                x = self.norms[i](x + out)
        return x


def train(loader, optimizer):
    model = Blocks().cuda()
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
