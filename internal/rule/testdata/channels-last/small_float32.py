import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(width, width, 3), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3))

    def forward(self, x):
        return self.layers(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 64, 7)
        self.block = Block(64)
        self.last = nn.Conv2d(64, 1, 1)

    def forward(self, x):
        return self.last(self.block(self.first(x)))


def train(loader):
    model = Net().cuda()  # want SAT415 "must transpose; in float32, convolutions of small images are as fast"
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
