"""The weights leave the layer and are dropped on the way: set to None unless asked for, cut off by [0], swallowed by a star."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class Dropping(nn.Module):
    def forward(self, q, k, v, mask=None, output_attentions=False):
        weights = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(64)
        if mask is not None:
            weights = weights + mask
            weights = torch.max(weights, torch.tensor(torch.finfo(weights.dtype).min))
        weights = F.softmax(weights, dim=-1, dtype=torch.float32).to(q.dtype)  # want SAT409 "stores every weight"
        out = torch.matmul(weights, v)
        if not output_attentions:
            weights = None
        return out, weights


class HeadsLast(nn.Module):
    def forward(self, q, k, v):
        weights = torch.einsum("bnhd,bmhd->bnmh", q, k) * 0.125
        weights = weights.softmax(dim=2)  # want SAT409 "stores every weight"
        return torch.einsum("bnmh,bmhd->bnhd", weights, v), weights


class Swallowed(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1)  # want SAT409 "stores every weight"
        return torch.bmm(weights, v), q, weights


class Read(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1)
        return torch.bmm(weights, v), weights


class DroppedAlways(nn.Module):
    """The weights are wanted unless a caller says no."""

    def forward(self, q, k, v, keep=True):
        weights = F.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1)
        out = torch.bmm(weights, v)
        if not keep:
            weights = None
        return out, weights


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropping, self.heads, self.swallowed, self.read, self.always = Dropping(), HeadsLast(), Swallowed(), Read(), DroppedAlways()

    def forward(self, x):
        x, _ = self.dropping(x, x, x)
        x = x + self.heads(x, x, x)[0]
        x, *_ = self.swallowed(x, x, x)
        guide = self.read(x, x, x)[1]
        x, more = self.always(x, x, x)
        return x * guide.mean() + more.mean()

    def show(self, x):
        x, weights = self.heads(x, x, x)
        return weights


def train(loader, optimizer):
    net = Net().cuda()
    for x in loader:
        loss = net(x.cuda()).sum()
        loss.backward()
        optimizer.step()
