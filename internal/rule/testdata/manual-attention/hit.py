import math

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda")


class Attention(nn.Module):
    def forward(self, q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = F.softmax(scores, dim=-1)  # want SAT409 "handwritten attention"
        weights = self.dropout(weights)
        return weights @ v


class Bmm(nn.Module):
    def forward(self, q, k, v):
        attention = torch.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1)  # want SAT409 "handwritten attention"
        out = torch.bmm(attention, v)
        return self.out(out)


class Method(nn.Module):
    def forward(self, q, k, v):
        energy = torch.matmul(q, k.permute(0, 1, 3, 2))
        attention = energy.softmax(dim=-1)  # want SAT409 "handwritten attention"
        return torch.matmul(self.dropout(attention), v)


class Einsum(nn.Module):
    def forward(self, q, k, v):
        dots = torch.einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        attn = self.softmax(dots)  # want SAT409 "handwritten attention"
        attn = self.dropout(attn)
        return torch.einsum("b h i j, b h j d -> b h i d", attn, v)

    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.softmax = nn.Softmax(dim=-1)


class Renamed(nn.Module):
    def forward(self, q, k, v, mask=None):
        keys = k.transpose(2, 3)
        scores = torch.matmul(q, keys)
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
            attn = torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)  # want SAT409 "handwritten attention"
        else:
            attn = torch.softmax(scores, dim=-1)
        p_attn = self.dropout(attn)
        return torch.matmul(p_attn, v)


class OnRequest(nn.Module):
    def forward(self, q, k, v, return_attention=False):
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)  # want SAT409 "handwritten attention"
        x = attn @ v
        if return_attention:
            return x, attn
        return x


def add_positions(scores, q, table):
    bias = q @ table
    return scores + bias


class Biased(nn.Module):
    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1)
        if self.relative:
            scores = add_positions(scores, q, self.table)
        scores = scores.softmax(dim=-1)  # want SAT409 "handwritten attention"
        return scores @ v


class Unread(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)  # want SAT409 "handwritten attention"
        return weights @ v, weights


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Unread()

    def forward(self, x):
        out, weights = self.attention(x, x, x)
        return out


def train(loader, optimizer):
    model = Attention().to(device)
    for q, k, v in loader:
        loss = model(q, k, v).mean()
        loss.backward()
        optimizer.step()
