"""Masks in fields, of two masks, and of a parameter that is set again."""
import torch
from torch import nn


class Contrast(nn.Module):
    def __init__(self, size, device):
        super().__init__()
        self.device = device
        self.others = self.find_others(size).type(torch.bool)
        self.order = torch.arange(size).to(device)

    def find_others(self, size):
        mask = 1 - torch.eye(size)
        return mask.to(self.device)

    def forward(self, x):
        x = x @ x.T
        x = x[self.order]
        return x[self.others].mean()  # want SAT306 "depends on GPU values"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.contrast = nn.Linear(8, 8), Contrast(4, torch.device("cuda"))

    def forward(self, x, seen):
        x = self.layer(x)
        hit = x > 0
        both = self.find(x)
        chosen = x[both & seen].mean()  # want SAT306 "depends on GPU values"
        return self.pick(x, hit) + self.contrast(x) + chosen

    def find(self, x):
        return (x * 2).relu()

    def pick(self, x, hit, wide=False):
        if wide:
            hit = hit.clone()
        row = hit[0]
        return x[0][row].mean()  # want SAT306 "depends on GPU values"


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, seen in loader:
        loss = net(x.cuda(), seen.cuda())
        loss.backward()
        optimizer.step()
