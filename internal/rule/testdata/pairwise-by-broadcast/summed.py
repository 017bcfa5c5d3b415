"""Products and squared differences of all pairs, summed."""
import torch
from torch import nn


def load_metric():
    with open("metric.txt") as file:
        return file.read()


class Kernel(nn.Module):
    def forward(self, a, b):
        a = a.unsqueeze(1)
        b = b.unsqueeze(2)
        return (a * b).sum(-1).pow(2)  # want SAT422 "the product of all pairs"


class Distance(nn.Module):
    def forward(self, a, b):
        squares = (a[:, :, None, :] - b[:, None, :, :]) ** 2
        return torch.sqrt(torch.sum(squares, -1) + 1e-6)  # want SAT422 "the distance of all pairs"


class Same(nn.Module):
    """One new axis, or both at the same place: no pairs."""

    def forward(self, a, b):
        weighted = (a.unsqueeze(1) * b).sum(-1)
        return weighted + (a.unsqueeze(1) * b.unsqueeze(1)).sum(-1) + (a.unsqueeze(1) * b.unsqueeze(2)).sum(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.kernel, self.distance, self.same, self.chosen = Kernel(), Distance(), Same(), Chosen(load_metric())

    def forward(self, x):
        a = self.layer(x)
        return self.kernel(a, a).mean() + self.distance(a, a).mean() + self.same(a, a).mean() + self.chosen(a).mean()


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x in loader:
        loss = net(x.cuda())
        loss.backward()
        optimizer.step()


def choose(a, b, metric):
    """Which of them runs is not known."""
    if metric == "dot":
        return a @ b.t()
    elif metric == "squared":
        return -(a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(dim=-1)


class Chosen(nn.Module):
    def __init__(self, metric):
        super().__init__()
        self.metric = metric

    def forward(self, a):
        return choose(a, a, self.metric)
