"""A few kernels for each of a few classes."""

import torch
from torch import nn


class Overlap(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.classes = classes

    def one_hot(self, labels):
        planes = []
        for i in range(self.classes):  # want SAT319 "launches kernels in each iteration"
            planes.append((labels == i * torch.ones_like(labels)).unsqueeze(1))
        return torch.cat(planes, 1).float()

    def overlap(self, a, b):
        return 2 * (a * b).sum() / (a.sum() + b.sum())

    def forward(self, scores, labels):
        chances, planes, loss = scores.softmax(1), self.one_hot(labels), 0.0
        for i in range(self.classes):  # want SAT319 "launches kernels in each iteration"
            loss = loss + 1 - self.overlap(chances[:, i], planes[:, i])
        return loss / self.classes


def shared(found, labels, classes=5):
    total = 0
    for kind in range(classes):  # want SAT319 "launches kernels in each iteration"
        a, b = found == kind, labels == kind
        total += (a & b).sum() / (a | b).sum()
    return total


def main(loader):
    net = nn.Conv2d(3, 4, 3, padding=1).cuda()
    optimizer, overlap = torch.optim.SGD(net.parameters(), 0.1), Overlap()
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        scores = net(x)
        loss = overlap(scores, y) + 0 * shared(scores.argmax(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
