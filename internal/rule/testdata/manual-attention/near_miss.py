import math

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda")


class Shown(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
        return weights @ v, weights


class Kept(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
        self.last = weights
        return weights @ v


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


def train(loader, optimizer):
    model = Shown().to(device)
    for q, k, v in loader:
        loss = model(q, k, v).mean()
        loss.backward()
        optimizer.step()
