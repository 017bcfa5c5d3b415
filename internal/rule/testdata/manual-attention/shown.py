import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.weights = None

    @staticmethod
    def attend(q, k, v, mask, dropout):
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores.masked_fill_(mask == 0, -1e9)
        scores = scores.softmax(dim=-1)  # want SAT409 "attention"
        if dropout is not None:
            scores = dropout(scores)
        return (scores @ v), scores

    def forward(self, x, mask):
        x, self.weights = Attention.attend(self.q(x), self.k(x), self.v(x), mask, None)
        return x


def train(loader):
    model = Attention(64).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x, mask in loader:
        loss = model(x.cuda(), mask.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


class Kept(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        weights = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2), dim=-1)  # want SAT409 "attention"
        self.to_draw = weights
        return weights @ self.v(x)


class Read(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        weights = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2), dim=-1)
        self.to_punish = weights
        return weights @ self.v(x)


def train_kept(loader):
    model, other = Kept(64).cuda(), Read(64).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean() + other(x.cuda()).mean() + other.to_punish.mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
