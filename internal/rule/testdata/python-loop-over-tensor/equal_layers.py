import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, size), nn.Linear(width, size), nn.Linear(width, size)

    def forward(self, x):
        return F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))


class Heads(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(width, width // heads) for _ in range(heads)])
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))  # want SAT319 "each layer of self.heads is called on the same input"


class Dilated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.branches = nn.ModuleList([nn.Conv1d(width, width, 3, dilation=2**i, padding=2**i) for i in range(8)])
        self.pair = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.deep = nn.ModuleList([nn.Linear(width, width) for _ in range(12)])
        self.side = nn.ModuleList([nn.Linear(width, width) for _ in range(12)])

    def forward(self, x):
        wide = torch.stack([b(x.transpose(1, 2)) for b in self.branches]).sum(0).transpose(1, 2)
        both = torch.cat([layer(x) for layer in self.pair], -1).mean()
        for layer, side in zip(self.deep, self.side):
            x = layer(x).relu()
        for i in range(12):
            x = self.deep[i](x) + self.side[i](wide)
        return wide + both + x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads, self.dilated = Heads(512, 8), Dilated(512)

    def forward(self, x):
        return self.heads(self.dilated(x))


def train(loader):
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
