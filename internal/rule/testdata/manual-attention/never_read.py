"""The weights are handed from layer to layer, and nobody looks at them."""
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def forward(self, q, k, v):
        weights = F.softmax(torch.bmm(q, k.transpose(1, 2)) / 8, dim=-1)  # want SAT409 "stores every weight"
        return torch.bmm(weights, v), weights


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, x):
        x, weights = self.attention(x, x, x)
        return x, weights


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(6)])

    def forward(self, x, return_weights=False):
        kept = []
        for layer in self.layers:
            x, weights = layer(x)
            if return_weights:
                kept += [weights]
        if return_weights:
            return x, kept
        return x


class Block(nn.Module):
    def forward(self, q, k, v):
        q = q.permute(0, 2, 1)
        weights = torch.bmm(q, k) * 0.125
        weights = F.softmax(weights, dim=2)  # want SAT409 "stores every weight"
        weights = weights.permute(0, 2, 1)
        return torch.bmm(v, weights)


def train(loader, optimizer):
    net, block = Net().cuda(), Block().cuda()
    for x in loader:
        loss = block(net(x.cuda()), x, x).sum()
        loss.backward()
        optimizer.step()
