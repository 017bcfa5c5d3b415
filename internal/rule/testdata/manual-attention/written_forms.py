"""Forms of the same attention: a finite mask, a dropout around the softmax, equations with the channels first or last."""
import math

import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.dropout = heads, nn.Dropout(0.1)
        self.q, self.k, self.v = [nn.Linear(dim, dim) for _ in range(3)]

    def forward(self, x, padded):
        b, t, d = x.shape
        q = self.q(x).view(b, t, self.heads, -1).transpose(1, 2)
        k = self.k(x).view(b, t, self.heads, -1).transpose(1, 2)
        v = self.v(x).view(b, t, self.heads, -1).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d // self.heads)
        scores = scores.masked_fill(padded[:, None, None, :], -1e9)
        attn = self.dropout(torch.softmax(scores, dim=-1))  # want SAT409 "every weight"
        return torch.matmul(attn, v).transpose(1, 2).reshape(b, t, d)


class Hidden(nn.Module):
    def forward(self, q, k, v, hidden):
        scores = q @ k.transpose(-2, -1)
        scores = scores.masked_fill(hidden, float("-inf"))
        weights = scores.softmax(dim=-1)  # want SAT409 "every weight"
        return weights @ v


class Pixels(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv, self.heads = nn.Conv2d(dim, 3 * dim, 1), 4

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(x).view(b, 3, self.heads, c // self.heads, h * w).unbind(1)
        attn = torch.einsum("bhci,bhcj->bhij", q, k) / math.sqrt(c // self.heads)
        attn = torch.softmax(attn, dim=-1)  # want SAT409 "every weight"
        return x + torch.einsum("bhij,bhcj->bhci", attn, v).view(b, c, h, w)


class Tokens(nn.Module):
    def forward(self, q, k, v):
        attn = torch.einsum("bhid,bhjd->bhij", q, k)
        attn = torch.softmax(attn, dim=-1)  # want SAT409 "every weight"
        return torch.einsum("bhij,bhjd->bhid", attn, v)


class Scores(nn.Module):
    def forward(self, q, k, v):
        scores = torch.einsum("bhid,bhjd->bhij", q, k)
        attn = torch.softmax(scores, dim=-1)  # want SAT409 "every weight"
        return torch.einsum("bhij,bhjd->bhid", attn, v) + scores.mean()  # which are needed again


def train(loader):
    model = nn.ModuleList([Masked(64, 4), Pixels(64), Tokens(), Hidden(), Scores()]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, padded in loader:
        loss = model[0](x.cuda(non_blocking=True), padded.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
