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


class Ball(nn.Module):
    """Has no weights that could be joined."""

    def __init__(self, radius, count):
        super().__init__()
        self.radius, self.count = radius, count

    def forward(self, x):
        return torch.cdist(x, x).lt(self.radius).float().topk(self.count).values


class Tables(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(width, width))

    def forward(self, x):
        return x @ self.table


class Grouped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.balls = nn.ModuleList([Ball(0.2, width) for _ in range(4)])
        self.tables = nn.ModuleList([Tables(width) for _ in range(4)])
        self.drops = nn.ModuleList([nn.Dropout(0.5) for _ in range(5)])

    def forward(self, x):
        near = torch.stack([ball(x) for ball in self.balls]).sum(0)
        seen = torch.stack([drop(x) for drop in self.drops]).mean(0)
        return near + seen + torch.stack([table(x) for table in self.tables]).sum(0)  # want SAT319 "each layer of self.tables"


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
        self.heads, self.dilated, self.grouped = Heads(512, 8), Dilated(512), Grouped(512)

    def forward(self, x):
        return self.heads(self.grouped(self.dilated(x)))


def train(loader):
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
