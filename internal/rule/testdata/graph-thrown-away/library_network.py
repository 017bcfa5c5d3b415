"""A part of a network of torchvision, beside its call on what the generator gives."""

import torch
from torch import nn
from torchvision.models import vgg19


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = vgg19(pretrained=True).features[:16]

    def forward(self, x, y):
        of_x, of_y = self.net(x), self.net(y)  # want SAT513 "self.net builds a graph"
        return (of_x - of_y.detach()).abs().mean()


def train(loader):
    generator, perceptual = nn.Conv2d(3, 3, 3).cuda(), Perceptual().cuda()
    optimizer = torch.optim.Adam(generator.parameters())
    for x, y in loader:
        loss = perceptual(generator(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
