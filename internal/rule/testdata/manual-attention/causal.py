import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("tril", torch.tril(torch.ones((length, length))).bool())

    def forward(self, q, k, v):
        T, S = q.shape[-2], k.shape[-2]
        a = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        a = a.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        a = F.softmax(a, dim=-1)  # want SAT409 "handwritten attention"
        return a @ v


class Ahead(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("tril", torch.tril(torch.ones(length, length), diagonal=4))

    def forward(self, q, k, v):
        T, S = q.shape[-2], k.shape[-2]
        a = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        a = a.masked_fill(self.tril[:T, :T] == 0, float("-inf"))  # sees four ahead
        a = F.softmax(a, dim=-1)  # want SAT409 "handwritten attention"
        return a @ v


class TwoLengths(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("tril", torch.tril(torch.ones(length, length)))

    def forward(self, q, k, v):
        T, S = q.shape[-2], k.shape[-2]
        a = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        a = a.masked_fill(self.tril[:T, :S] == 0, float("-inf"))
        a = F.softmax(a, dim=-1)  # want SAT409 "handwritten attention"
        return a @ v


class Wide(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("tril", torch.tril(torch.ones(length, 2 * length)))

    def forward(self, q, k, v):
        T, S = q.shape[-2], k.shape[-2]
        a = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        a = a.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        a = F.softmax(a, dim=-1)  # want SAT409 "handwritten attention"
        return a @ v


def train(loader):
    model = nn.ModuleList([Head(64), Ahead(64), TwoLengths(64), Wide(64)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for q, k, v in loader:
        q, k, v = q.cuda(), k.cuda(), v.cuda()
        loss = sum(layer(q, k, v).mean() for layer in model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
