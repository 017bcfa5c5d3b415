"""Pretrained networks that are frozen, trained, run without gradients, or handed to what cannot be followed."""

import torch
import torch.nn.functional as F
from torch import nn
from torchvision import models

import elsewhere


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = models.vgg16(weights="DEFAULT").features[:16]
        for weight in self.parameters():
            weight.requires_grad = False

    def forward(self, x):
        return self.layers(x)


class FrozenOutside(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = models.vgg16(weights="DEFAULT").features[:16]

    def forward(self, x):
        return self.layers(x)


class Target(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = models.vgg16(weights="DEFAULT").features[:16]

    def forward(self, x):
        with torch.no_grad():
            return self.layers(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = models.resnet50(weights="DEFAULT")

    def forward(self, x):
        return self.backbone(x)


class Trained(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(1000, 3)

    def forward(self, x):
        return self.head(self.encoder(x))


class Handed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = models.vgg16(weights="DEFAULT").features[:16]
        elsewhere.prepare(self.layers)

    def forward(self, x):
        return self.layers(x)


class InGroups(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = models.vgg16(weights="DEFAULT").features[:16]

    def forward(self, x):
        return self.layers(x)


def switch(net, on):
    for weight in net.parameters():
        weight.requires_grad = on


def main(loader):
    net, outside = Trained().cuda(), FrozenOutside().cuda()
    frozen, target, handed, grouped = Frozen().cuda(), Target().cuda(), Handed().cuda(), InGroups().cuda()
    switch(outside, False)
    groups = [{"params": m.parameters()} for m in (net, grouped)]
    optimizer = torch.optim.Adam(groups)
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        made = net(x)
        loss = F.mse_loss(made, y) + F.mse_loss(frozen(x), outside(x)) + target(x).mean() + handed(x).mean() + grouped(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
