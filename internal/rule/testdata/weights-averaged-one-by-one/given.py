"""Weights that a caller gives: their norms, and an average that a method mixes."""
import torch


@torch.no_grad()
def norm_of_gradients(parameters):
    parameters = list(filter(lambda p: p.grad is not None, parameters))
    total = 0
    for p in parameters:  # want SAT320 "norm of the gradients"
        total += (p.grad.data**2).sum()
    return total**0.5


@torch.no_grad()
def norm_of_weights(parameters):
    total = 0
    for p in parameters:  # want SAT320 "norm of the weights"
        total += (p.data**2).sum()
    return total**0.5


def norm_of_outputs(outputs):
    total = 0
    for x in outputs:
        total += (x.data**2).sum()
    return total**0.5


def penalty(parameters):
    total = 0
    for p in parameters:
        total += (p**2).sum()
    return total


class Average:
    def __init__(self, decay):
        self.decay = decay

    def update(self, kept, model):
        for a, w in zip(kept.parameters(), model.parameters()):  # want SAT320 "average of the weights"
            a.data = self.mixed(a.data, w.data)

    def mixed(self, old, new):
        return old * self.decay + (1 - self.decay) * new


def train(model, kept, loader, optimizer):
    model.cuda()
    average = Average(0.99)
    for x in loader:
        outs = model(x.cuda())
        loss = sum(o.mean() for o in outs) + penalty(model.parameters())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(kept, model)
        print("norms", norm_of_gradients(model.parameters()), norm_of_weights(list(model.parameters())), norm_of_outputs(outs))
