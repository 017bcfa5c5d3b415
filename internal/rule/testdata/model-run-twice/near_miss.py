"""Twice, but on something else, with other weights, or for what a random number changes."""
import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.drop = nn.Linear(64, 64), nn.Dropout(0.1)

    def forward(self, x):
        return self.drop(self.body(x))


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, 64)

    def forward(self, x):
        return self.body(x + torch.randn_like(x))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, 64)

    def forward(self, x):
        return self.body(x)

    def small(self, x):
        return self.body(x[:4])


def twins(loader):
    """Two masks of dropout make two views of one input."""
    model = Generator().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        x = x.cuda()
        loss = (model(x) - model(x)).square().mean()
        loss.backward()
        optimizer.step()


def games(loader):
    generator, noisy, judge = Generator().cuda(), Noisy().cuda(), Plain().cuda()
    optimizer_g = torch.optim.Adam(list(generator.parameters()) + list(noisy.parameters()), fused=True)
    optimizer_d = torch.optim.Adam(judge.parameters(), fused=True)
    for x in loader:
        x = x.cuda()
        loss_d = judge(generator(x).detach()).mean() + judge(noisy(x).detach()).mean() + judge(x).mean()
        loss_d.backward()
        optimizer_d.step()
        loss_g = judge(noisy(x)).mean() + judge(x).mean()
        loss_g.backward()
        optimizer_g.step()
        shown = generator(x)
        x = torch.randn(4, 64).cuda()
        print(shown.shape, generator(x).shape)


def arms(loader, double):
    model = Plain().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        x = x.cuda()
        if double:
            y = model(x)
        else:
            y = model(x)
        small = model.small(x)
        x.mul_(0.5)
        half = model(x)
        loss = (y + half).mean() + small.mean()
        loss.backward()
        optimizer.step()
