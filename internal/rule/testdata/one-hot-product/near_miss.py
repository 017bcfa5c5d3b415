"""One-hot inputs of a layer, a mask of scattered values, and a variable that was set to something else."""
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 16)

    def forward(self, x, labels):
        hot = F.one_hot(labels, 16).float()
        kind = self.layer(hot)
        weights = torch.zeros_like(x).scatter(1, labels.view(-1, 1), 0.5)
        hot = x.softmax(dim=1)
        return (x * weights).mean() + (hot * x).mean() + (hot @ x.t()).mean() + kind.mean()


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, labels in loader:
        loss = net(x.cuda(), labels.cuda())
        loss.backward()
        optimizer.step()


def loss_of(scores, labels, smoothing=0.0):
    if smoothing > 0.0:
        hot = torch.zeros_like(scores).scatter(1, labels.view(-1, 1), 1)
        return -(hot * scores.log_softmax(dim=1)).sum(dim=1).mean()
    return F.cross_entropy(scores, labels)


def train_smoothed(loader, arguments):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, labels in loader:
        loss = loss_of(net(x.cuda(), labels.cuda()), labels.cuda(), arguments.smoothing)
        loss.backward()
        optimizer.step()
