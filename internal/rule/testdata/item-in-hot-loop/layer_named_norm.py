"""A layer in a field that is named as a method of tensors is."""

import torch
from torch import nn


class Scaled(nn.Module):
    def apart(self, x):
        return x

    def __call__(self, x):
        print(x.mean().item())  # want SAT301 "waits for the GPU in every step"
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.norm = nn.Linear(512, 512), Scaled()

    def forward(self, x):
        return self.norm(self.net(x)) / x.norm()


def train(loader, optimizer):
    model = Net().cuda()
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
