import torch
import torch.nn.functional as F
from torch import nn


def twice(net, loader):
    net = net.cuda()
    opt = torch.optim.Adam(net.parameters())
    for x, y in loader:
        out = net(x.cuda())
        first = out.pow(2).mean()
        second = F.cross_entropy(out, y.cuda())
        opt.zero_grad()
        first.backward(retain_graph=True)  # want SAT514 "two backward passes go through one graph"
        second.backward(retain_graph=True)  # want SAT514 "after the last backward pass"
        opt.step()


class Maker(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(100, 784)

    def forward(self, z):
        return self.layer(z)


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(784, 1)

    def forward(self, x):
        return self.layer(x)


class Game:
    def __init__(self):
        self.maker, self.judge = Maker().cuda(), Judge().cuda()
        self.for_maker = torch.optim.Adam(self.maker.parameters())
        self.for_judge = torch.optim.Adam(self.judge.parameters())

    def step(self, real):
        fake = self.maker(torch.randn(len(real), 100, device="cuda"))
        loss = F.softplus(self.judge(fake)).mean() + F.softplus(-self.judge(real)).mean()
        self.for_judge.zero_grad()
        loss.backward(retain_graph=True)  # want SAT514 "goes through self.maker too"
        self.for_judge.step()
        other = F.softplus(-self.judge(fake)).mean()
        self.for_maker.zero_grad()
        other.backward()
        self.for_maker.step()


def play(loader):
    game = Game()
    for x in loader:
        game.step(x.cuda())
