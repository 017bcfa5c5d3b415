"""Pretrained networks that a loss goes through: nothing trains them, and nothing freezes them."""

import torch
import torch.nn.functional as F
from torch import nn
from torchvision import models


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        layers = models.vgg16(weights="DEFAULT").features  # want SAT515 "nothing trains the weights of models.vgg16"
        self.low, self.high = nn.Sequential(), nn.Sequential()
        for i in range(4):
            self.low.add_module(str(i), layers[i])
        for i in range(4, 9):
            self.high.add_module(str(i), layers[i])

    def forward(self, x):
        low = self.low(x)
        return low, self.high(low)


class Likeness(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.faces = Faces().cuda()  # want SAT515 "nothing trains the weights of Faces"
        self.faces.load_state_dict(torch.load(path))
        self.faces.eval()
        self.faces.requires_grad = False

    def features(self, x):
        return self.faces(F.interpolate(x, (112, 112)))

    def forward(self, made, real):
        wanted = self.features(real)
        return F.cosine_embedding_loss(self.features(made), wanted.detach(), torch.ones(len(made), device="cuda"))


class Faces(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 256, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())

    def forward(self, x):
        return self.layers(x)


class Losses(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.parts = []
        for weight, kind in ((1.0, "likeness"), (0.1, "features")):
            if kind == "likeness":
                part = Likeness(path)
            else:
                part = Features().cuda()
            self.parts.append({"weight": weight, "loss": part})

    def forward(self, made, real):
        total = 0
        for part in self.parts:
            total = total + part["weight"] * part["loss"](made, real)
        return total


def main(loader, path):
    net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 3, 3, padding=1)).cuda()
    optimizer, losses = torch.optim.Adam(net.parameters()), Losses(path)
    features = nn.DataParallel(Features().cuda())
    for x, y in loader:
        made, real = net(x.cuda()), y.cuda()
        wanted = features(real)
        loss = losses(made, real) + sum(F.mse_loss(a, b) for a, b in zip(features(made), wanted))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
