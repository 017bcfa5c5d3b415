import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(4, 1, 64))
        self.lin = nn.Linear(64, 64)

    def forward(self, x, points):
        whole = self.lin(x)
        twice = whole.unsqueeze(2).repeat(1, 2, 5)  # the second axis has many elements
        filled = whole.unsqueeze(2).repeat(1, 1, 5)
        filled[:, 0] = 0  # written to
        turned = whole.unsqueeze(1).repeat(1, 5, 1).view(-1, 64)  # needs the copies
        tokens = torch.cat((self.token.repeat(x.size(0), 1, 1), points), 1)
        table = np.arange(4)[None].repeat(4, 0) + 1
        return twice.sum() + filled.sum() + turned.sum() + tokens.sum() + float(table.sum())


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, points in loader:
        loss = net(x.cuda(), points.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
