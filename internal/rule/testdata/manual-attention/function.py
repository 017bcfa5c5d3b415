"""Attention as a function that layers call, as the Annotated Transformer has it."""
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = F.softmax(scores, dim=-1)  # want SAT409 "stores every weight"
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


def plain(q, k, v, drop=0.0, training=True):
    attn = torch.matmul(q, k.transpose(-1, -2))
    attn = attn / np.sqrt(q.shape[-1])
    attn_float = F.softmax(attn, dim=-1)  # want SAT409 "stores every weight"
    attn = attn_float.type_as(attn)
    attn = F.dropout(attn, p=drop, training=training)
    return torch.matmul(attn, v)


def looked_at(q, k, v):
    weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v, weights


def apart(q, k, v):  # no layer calls it
    return F.softmax(q @ k.transpose(-2, -1), dim=-1) @ v


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(64, 192)
        self.dropout = nn.Dropout(0.1)
        self.attn = None

    def forward(self, x):
        q, k, v = self.proj(x).chunk(3, dim=-1)
        x, self.attn = attention(q, k, v, dropout=self.dropout)
        y, weights = looked_at(q, k, v)
        return plain(x, k, y) * weights.mean()


def train(loader, optimizer):
    net = Layer().cuda()
    for x in loader:
        loss = net(x.cuda()).sum()
        loss.backward()
        optimizer.step()
