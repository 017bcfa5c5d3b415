import torch
from torch import nn


def train(model: nn.Module, loader, optimizer, criterion):
    model.to("cuda")
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x.cuda(non_blocking=True))  # want SAT401 "entirely in float32"
        loss = criterion(
            out,
            y.cuda(non_blocking=True),
        )
        loss.backward()
        optimizer.step()


class Trainer:
    def __init__(self, model):
        self.net = model.cuda()

    def fit(self, loader, optimizer):
        for batch in loader:
            self.step(batch, optimizer)

    def step(self, batch, optimizer):
        loss = self.net(**batch).loss  # want SAT401 "entirely in float32"
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
