import torch
from torch import nn


def clip(model, most):
    for w in model.parameters():  # want SAT320 "gradients are changed one tensor at a time in every step"
        w.grad.data.mul_(most / (w.grad.data.norm() + 1e-6))


@torch.no_grad()
def descend(weights, rate, momenta):
    for w, m in zip(weights, momenta):  # want SAT320 "weights are changed one tensor at a time in every step"
        m.mul_(0.9).add_(w.grad)
        w.sub_(rate * m)


def drop(model):
    for w in model.parameters():
        w.grad = None


def look(model):
    for name, w in model.named_parameters():
        if w.grad is None:
            print(name)


def train(loader):
    model = nn.Linear(8, 8).cuda()
    momenta = [torch.zeros_like(w) for w in model.parameters()]
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x.cuda()).mean().backward()
        clip(model, 1.0)
        descend(list(model.parameters()), 0.1, momenta)
        optimizer.step()
        look(model)
        drop(model)
