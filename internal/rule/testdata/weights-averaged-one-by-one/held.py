import torch
from torch import nn


class Average:
    def __init__(self, source, target, decay=0.999):
        self.decay = decay
        self.source = source.state_dict()
        self.target = target.state_dict()
        self.names = ["a", "b"]

    def update(self):
        with torch.no_grad():
            for key in self.source:  # want SAT320 "the average of the weights"
                self.target[key].copy_(self.target[key] * self.decay + self.source[key] * (1 - self.decay))

    def load(self, other):
        for key in self.names:
            self.target[key].copy_(other[key] * 1.0)


def train(net, average_net, loader):
    net.cuda()
    average = Average(net, average_net)
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        size = 0
        for w in net.parameters():  # want SAT320 "the norm of the gradients is computed one tensor at a time"
            if w.grad is not None:
                size += w.grad.data.norm() ** 2
        optimizer.step()
        average.update()
        average.load(average.target)
    return size


def count(net, loader, optimizer):
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total = 0
        for w in net.parameters():
            if w.grad is not None:
                total += w.grad.numel() ** 2
    return total
