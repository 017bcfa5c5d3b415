import math

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Heads(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(c // self.heads)
        y = self.drop(scores.softmax(dim=-1)).to(v.dtype) @ v  # want SAT409 "handwritten attention"
        return self.out(y.transpose(1, 2).reshape(b, t, c))


class Stack(nn.Module):
    def __init__(self, layers=12):
        super().__init__()
        self.layers = nn.ModuleList(Heads(768, 12) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return x


def train(loader):
    model = Stack().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for batch in loader:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
