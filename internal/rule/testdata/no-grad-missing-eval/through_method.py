import torch
from torch import nn


class Runner:
    def __init__(self, loader, held_out):
        self.net = nn.Linear(64, 10).cuda()
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.loader, self.held_out = loader, held_out

    def loss(self, x, y):
        return nn.functional.cross_entropy(self.net(x.cuda()), y.cuda())

    def fit(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            self.loss(x, y).backward()
            self.optimizer.step()

    def check(self):
        self.net.eval()
        total = 0
        for x, y in self.held_out:
            total += self.loss(x, y).item()  # want SAT512 "never computed"
        self.net.train()
        return total

    def quiet(self, x):
        with torch.no_grad():
            return self.net(x.cuda())

    def look(self):
        self.net.eval()
        return [self.quiet(x) for x, _ in self.held_out]


def loss_of(model, x, y):
    return nn.functional.cross_entropy(model(x.cuda()), y.cuda())


def measure(model, held_out):
    model.eval()
    total = 0
    for x, y in held_out:
        total += loss_of(model, x, y).item()  # want SAT512 "never computed"
    return total
