"""Smoothed labels, and a margin."""
import torch
from torch import nn


class Smooth(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 1000)

    def forward(self, x, labels):
        scores = self.layer(x)
        hot = torch.zeros_like(scores).scatter(1, labels.view(-1, 1), 1)  # want SAT428 "one-hot"
        hot = hot * 0.9 + (1 - hot) * 0.1 / 999
        return -(hot * scores.log_softmax(dim=1)).sum(dim=1).mean()


def train(loader):
    net = Smooth().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, labels in loader:
        loss = net(x.cuda(), labels.cuda())
        loss.backward()
        optimizer.step()
