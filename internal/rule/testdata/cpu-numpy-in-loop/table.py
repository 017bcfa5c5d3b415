"""A table of an object that stays on the host: the first step moves it."""
import torch
from torch import nn


class Noise:
    def __init__(self, steps):
        self.shares = torch.cumprod(1 - torch.linspace(1e-4, 0.02, steps), dim=0)
        self.roots = torch.linspace(0, 1, steps).sqrt()

    def share(self, t):
        share = self.shares[t.cpu()].to(t.device)[:, None]  # want SAT304 "copies to the host"
        return share.sqrt()

    def root(self, t):
        return self.roots[t.cpu()].to(t.device)  # want SAT304 "copies to the host"

    def first(self):
        return self.roots[0] + torch.zeros(3)  # which expects the host


def train(loader):
    model, noise = nn.Linear(8, 8).cuda(), Noise(1000)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        x = x.cuda(non_blocking=True)
        t = torch.randint(0, 1000, (len(x),), device="cuda")
        loss = (model(x) * noise.share(t) * noise.root(t)[:, None]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
