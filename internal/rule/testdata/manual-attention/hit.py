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


def train(loader, optimizer):
    model = Attention().to(device)
    for q, k, v in loader:
        loss = model(q, k, v).mean()
        loss.backward()
        optimizer.step()
