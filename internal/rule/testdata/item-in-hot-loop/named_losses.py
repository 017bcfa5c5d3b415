"""Losses in a tuple with names: the loop takes the gradient of one, and a helper reads all."""

import collections

import torch

Losses = collections.namedtuple("Losses", "near far whole")


def number(value):
    if isinstance(value, torch.Tensor):
        return value.item()  # want SAT301 "value.item.. waits"
    return value


class Fit:
    def __init__(self, model):
        self.model = model.cuda()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.seen = {}

    def errors(self, x):
        y = self.model(x)
        parts = [y.abs().mean(), y.pow(2).mean()]
        return Losses(*(parts + [sum(parts)]))

    def note(self, losses):
        self.seen = {name: number(v) for name, v in losses._asdict().items()}  # told SAT301 "a tensor is given here"

    def step(self, x):
        self.optimizer.zero_grad()
        losses = self.errors(x)
        losses.whole.backward()
        self.optimizer.step()
        self.note(losses)


fit = Fit(torch.nn.Linear(8, 8))
for x in torch.utils.data.DataLoader(torch.rand(64, 8)):
    fit.step(x.cuda())
    print(number(3))
