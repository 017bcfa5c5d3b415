"""Sorts of which a step uses the first elements, or the order back."""
import torch
from torch import nn


def group(distances, count=32):
    index = distances.sort(dim=-1)[1][:, :, :32]  # want SAT427 "first elements"
    return index


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        x = self.layer(x)
        distances = x @ x.transpose(1, 2)
        near, index = distances.sort(dim=-1)  # want SAT427 "first elements"
        near, index = near[:, :, :3], index[:, :, :3]
        best = torch.argsort(x.view(-1), descending=True)[:10]  # want SAT427 "first elements"
        _, hard = torch.sort(x.sum(-1), 1, descending=True)
        _, rank = hard.sort(1)  # want SAT427 "to invert them"
        return near.mean() + index.float().mean() + best.float().mean() + group(distances).float().mean() + (rank < 3).float().mean()


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x in loader:
        loss = net(x.cuda())
        loss.backward()
        optimizer.step()
