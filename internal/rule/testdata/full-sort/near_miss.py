"""All of it is used, along another axis, from the end, or a list is sorted."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, names):
        x = self.layer(x)
        names.sort()
        names = names[:3]
        values, index = x.sort(dim=-1)
        first = values[:, :3]
        summed = values.cumsum(-1)
        rows = x.sort(dim=-1)[0][:3]
        last = x.sort(dim=-1)[0][:, -3:]
        most = x.sort(dim=-1)[0][:, :-3]
        both = torch.sort(x, dim=1)
        return first.mean() + summed.mean() + rows.mean() + last.mean() + most.mean() + both.values.mean() + index.float().mean()


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, names in loader:
        loss = net(x.cuda(), list(names))
        loss.backward()
        optimizer.step()
