import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(256, 4, batch_first=True)
        self.norm = nn.LayerNorm(256)

    def forward(self, x, mask):
        y, weights = self.attention(x, x, x, attn_mask=mask)  # want SAT417 "nothing reads"
        return self.norm(x + y), weights


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(6))

    def forward(self, x, mask):
        maps = []
        for layer in self.layers:
            x, weights = layer(x, mask)
            maps.append(weights)
        return x, maps


class Shown(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(256, 4, batch_first=True)

    def forward(self, x):
        y, weights = self.attention(x, x, x)
        return y, weights


def train(loader, optimizer):
    model, shown = Encoder().cuda(), Shown().cuda()
    for x, mask in loader:
        out, _ = model(x.cuda(), mask.cuda())
        last, weights = shown(out)
        (last.mean() + weights.std()).backward()
        optimizer.step()
