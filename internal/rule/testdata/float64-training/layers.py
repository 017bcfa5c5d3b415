import pytorch_lightning as pl
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(784, 1024, dtype=torch.float64)  # want SAT423 "trained in float64"
        self.b = nn.Linear(1024, 10, dtype=torch.float64)

    def forward(self, x):
        return self.b(self.a(x).relu())


class Single(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(784, 10, dtype=torch.float32)

    def forward(self, x):
        return self.a(x)


def train(loader):
    net = Net().cuda()
    other = Single().to("cuda", dtype=torch.float64)  # want SAT423 "trained in float64"
    optimizer = torch.optim.Adam([*net.parameters(), *other.parameters()])
    for x in loader:
        loss = net(x.cuda()).mean() + other(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def fit(module, loader):
    pl.Trainer(accelerator="gpu", precision=64).fit(module, loader)  # want SAT423 "trained in float64"
