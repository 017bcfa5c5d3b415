import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.attn_pdrop)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.register_buffer("bias", torch.tril(torch.ones(64, 64)).view(1, 1, 64, 64))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

        # causal self-attention; self-attend: (B, nh, T, hs) x (B, nh, hs, T) -> (B, nh, T, T)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)  # want SAT409 "handwritten attention"
        att = self.attn_dropout(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class Scaled(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.scale = (width // heads) ** -0.5

    def forward(self, q, k, v):
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        attn = dots.softmax(dim=-1)  # want SAT409 "handwritten attention"
        return torch.matmul(attn, v)


class TensorScale(nn.Module):
    """The scale is a tensor, which the fused kernel would refuse: no repair."""

    def __init__(self, width):
        super().__init__()
        self.scale = torch.sqrt(torch.FloatTensor([width])).cuda()

    def forward(self, q, k, v):
        energy = torch.matmul(q, k.transpose(-1, -2)) / self.scale
        attention = torch.softmax(energy, dim=-1)  # want SAT409 "handwritten attention"
        return torch.matmul(attention, v)


class Biased(nn.Module):
    """Something happens to the scores that the repair does not know."""

    def forward(self, q, k, v, bias):
        scores = q @ k.transpose(-2, -1)
        scores = scores + bias
        weights = torch.softmax(scores, dim=-1)  # want SAT409 "handwritten attention"
        return weights @ v


def train(loader, optimizer, config):
    model = CausalSelfAttention(config).to("cuda")
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
