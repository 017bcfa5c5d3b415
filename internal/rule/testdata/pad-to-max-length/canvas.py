import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, images, height, width):
        self.images, self.height, self.width = images, height, width

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        shown = min(self.width, image.shape[1])
        canvas = np.full((self.height, self.width), 255, dtype=np.uint8)  # want SAT113 "padded to a fixed length"
        canvas[:, :shown] = image[:, :shown]
        return torch.from_numpy(canvas)


class Squares(Dataset):
    def __init__(self, images, side):
        self.images, self.side = images, side

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        height, width = image.shape
        canvas = np.full((self.side, self.side), 114)
        canvas[:height, :width] = image
        return torch.from_numpy(canvas)


class Marked(Dataset):
    def __init__(self, images, side):
        self.images, self.side = images, side

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        mark = np.zeros((self.side, self.side))
        mark[:, :8] = 1
        return torch.from_numpy(self.images[i] * mark)


def train(images, width):
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    lines = DataLoader(Lines(images, 48, width), batch_size=64, shuffle=True)
    squares = DataLoader(Squares(images, 640), batch_size=64, shuffle=True)
    marked = DataLoader(Marked(images, 640), batch_size=64, shuffle=True)
    for x, y, z in zip(lines, squares, marked):
        loss = net(x.cuda()).sum() + net(y.cuda()).sum() + net(z.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=1600)
train([], parser.parse_args().width)
