"""A generator runs for the discriminator's update and again for its own; a gradient runs forward again."""
import itertools

import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Dropout(0.5), nn.Conv2d(64, 3, 3))

    def forward(self, x):
        return self.body(x)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 1, 3)

    def forward(self, x):
        return self.body(x)


class Trainer:
    def __init__(self, loader):
        self.loader = loader
        self.to_b, self.to_a = Generator().cuda(), Generator().cuda()
        self.judge_a, self.judge_b = Discriminator().cuda(), Discriminator().cuda()
        self.optimizer_g = torch.optim.Adam(itertools.chain(self.to_b.parameters(), self.to_a.parameters()))
        self.optimizer_d = torch.optim.Adam(itertools.chain(self.judge_a.parameters(), self.judge_b.parameters()))

    def train(self):
        for a, b in self.loader:
            a, b = a.cuda(), b.cuda()
            with torch.no_grad():
                fake_b = self.to_b(a)
            fake_a = self.to_a(b)
            loss_d = self.judge_b(fake_b).mean() + self.judge_a(fake_a.detach()).mean()
            self.optimizer_d.zero_grad()
            loss_d.backward()
            self.optimizer_d.step()
            fake_b = self.to_b(a)  # want SAT426 "runs again"
            fake_a = self.to_a(b)  # want SAT426 "runs again"
            loss_g = -self.judge_b(fake_b).mean() - self.judge_a(fake_a).mean()
            self.optimizer_g.zero_grad()
            loss_g.backward()
            self.optimizer_g.step()


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 256), nn.Linear(256, 257)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))

    def distance(self, x):
        return self.forward(x)[:, :1]

    def gradient(self, x):
        x.requires_grad_(True)
        y = self.distance(x)
        return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


class Renderer(nn.Module):
    def __init__(self):
        super().__init__()
        self.field = Field()

    def forward(self, points):
        out = self.field(points)
        normals = self.field.gradient(points)  # want SAT426 "runs again"
        return out[:, 1:] * normals.mean()


def fit(loader):
    renderer = Renderer().cuda()
    optimizer = torch.optim.Adam(renderer.parameters(), fused=True)
    for points in loader:
        loss = renderer(points.cuda()).mean()
        loss.backward()
        optimizer.step()
