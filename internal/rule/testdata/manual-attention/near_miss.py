import math

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda")


class Shown(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
        return weights @ v, weights


class Both(nn.Module):
    def forward(self, q, k, v):
        if self.flash:
            return F.scaled_dot_product_attention(q, k, v)
        weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
        return weights @ v


class Classifier(nn.Module):
    def forward(self, x):
        probabilities = F.softmax(self.layer(x), dim=-1)
        return probabilities @ self.values


class Additive(nn.Module):
    def forward(self, query, memory):
        energies = self.v(torch.tanh(self.query(query) + self.memory(memory)))
        weights = F.softmax(energies, dim=1)
        return torch.bmm(weights.transpose(1, 2), memory)


class Gated(nn.Module):
    """The fused kernel knows no gate between softmax and values."""

    def forward(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
        weights = weights * self.gate
        return weights @ v


class Mixture(nn.Module):
    """An einsum over experts is not attention."""

    def forward(self, x, experts):
        weights = F.softmax(torch.einsum("bd,de->be", x, self.router), dim=-1)
        return torch.einsum("be,bed->bd", weights, experts)


class Read(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
        return weights @ v, weights


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Read()

    def forward(self, x):
        out, weights = self.attention(x, x, x)
        return out, weights


class TalkingHeads(nn.Module):
    """The fused kernel cannot mix heads after the softmax."""

    def forward(self, q, k, v):
        dots = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        attn = dots.softmax(dim=-1)
        attn = torch.einsum("b h i j, h g -> b g i j", attn, self.mix)
        return torch.einsum("b h i j, b h j d -> b h i d", attn, v)


class Linear(nn.Module):
    """Attention that is linear in the length has no weights to store."""

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=1)
        q = q.softmax(dim=-2)
        k = k.softmax(dim=-1)
        q = q * self.scale
        context = torch.einsum("b h d n, b h e n -> b h d e", k, v)
        return torch.einsum("b h d e, b h d n -> b h e n", context, q)


def train(loader, optimizer):
    model = Shown().to(device)
    for q, k, v in loader:
        loss = model(q, k, v).mean()
        loss.backward()
        optimizer.step()
