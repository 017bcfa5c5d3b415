"""Both arms of a choice run a layer, and one of them is taken."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)

    def forward(self, x):
        return self.inner(x)


class Net(nn.Module):
    def __init__(self, add):
        super().__init__()
        self.first, self.second, self.add = Block(), Block(), add

    def forward(self, x):
        x = x + self.second(self.first(x)) if self.add else self.second(self.first(x))
        mean = self.add and self.first(x).mean()
        return self.first(x) if mean is None else x + self.second(x) + self.second(x).sigmoid()  # want SAT426 "runs again"


def train(loader):
    net = Net(True).cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x in loader:
        loss = net(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
