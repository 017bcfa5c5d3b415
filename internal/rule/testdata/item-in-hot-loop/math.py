import math

import torch


class Clipped:
    """An optimizer of the project's own whose step needs a number of the GPU's."""

    def __init__(self, model, limit):
        self.model = model
        self.limit = limit
        self.inner = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)

    def clip(self, loss):
        scale = math.sqrt(self.limit / loss)  # want SAT301 "math.sqrt.self.limit / loss. waits for the GPU in every step"
        for p in self.model.parameters():
            p.grad.mul_(scale)


def train(model, loader, optimizer):
    model.cuda()
    clipped = Clipped(model, 1.0)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        clipped.clip(loss)
        optimizer.step()
        optimizer.zero_grad()


def decay(t, as_tensor=False):
    if as_tensor:
        return torch.exp(-t)
    else:
        return math.exp(-t)
