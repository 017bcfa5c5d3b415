"""The weights are handed on, and the loss is computed from them."""
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(torch.bmm(q, k.transpose(1, 2)) / 8, dim=-1)
        return torch.bmm(weights, v), weights


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Attention() for _ in range(6)])

    def forward(self, x):
        kept = []
        for layer in self.layers:
            x, weights = layer(x, x, x)
            kept.append(weights)
        return x, kept


def train(loader, optimizer):
    net = Net().cuda()
    for x in loader:
        y, kept = net(x.cuda())
        loss = y.sum() + kept[0].mean()
        loss.backward()
        optimizer.step()
