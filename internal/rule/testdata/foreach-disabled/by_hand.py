import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def each_its_own(model, loader):
    model.cuda()
    optimizers = [torch.optim.Adam([p], lr=1e-3) for p in model.parameters()]  # want SAT407 "an optimizer of its own"
    for x in loader:
        model(x.cuda()).mean().backward()
        for p in model.parameters():
            clip_grad_norm_(p, 1.0)  # want SAT407 "gradients are clipped one tensor at a time"
        for o in optimizers:
            o.step()
            o.zero_grad()


def descent(model, loader, rate=0.1):
    model.cuda()
    for x in loader:
        model.zero_grad()
        model(x.cuda()).mean().backward()
        with torch.no_grad():
            for p in model.parameters():  # want SAT407 "the weights are updated one tensor at a time"
                p -= rate * p.grad


def with_data(model, optimizer, loader, rate=0.1):
    model.cuda()
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
        for name, p in model.named_parameters():  # want SAT407 "the weights are updated one tensor at a time"
            if p.grad is not None:
                p.data.add_(p.grad.data, alpha=-rate)
