from torch import nn


def block(width):
    return nn.Sequential(nn.Conv2d(width, width, 3), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3))


class Small(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.first = nn.Conv2d(3, 64, 7)
        self.layers = nn.Sequential(block(64), block(64), nn.Conv2d(64, classes, 1))

    def forward(self, x):
        return self.layers(self.first(x)).mean((2, 3))


def small(classes=10):
    return Small(classes)
