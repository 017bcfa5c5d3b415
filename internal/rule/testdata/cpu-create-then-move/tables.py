"""Tables that helpers compute with numpy from sizes, in each forward pass."""

import numpy as np
import torch
from torch import nn


def window(length):
    ramp = np.linspace(0, 1, length)
    return torch.tensor(ramp).float().unsqueeze(0)


def as_tensor(rows):
    rows = np.array(rows)
    return torch.from_numpy(rows)


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.layer = nn.Linear(width, width)

    def forward(self, x, rows):
        x = x * window(self.width).to(x.device)  # want SAT312 "is created on the host"
        x = x + window(x.shape[-1]).cuda()  # want SAT312 "is created on the host"
        return self.layer(x)


def train(loader):
    net = Net(64).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, rows in loader:
        loss = net(x.cuda(non_blocking=True), as_tensor(rows)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
