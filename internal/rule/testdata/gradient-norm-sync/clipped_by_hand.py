"""Gradients that are clipped by hand: one call does the same, where nobody needs the norm as a number."""
import math

import torch
from torch import nn


def clip(model, max_norm):
    total = 0.0
    for p in model.parameters():
        if p.grad is not None:
            total += p.grad.data.norm(2).item() ** 2  # want SAT315 "once per parameter"
    total = total ** 0.5
    scale = max_norm / (total + 1e-6)
    if scale < 1:
        for p in model.parameters():
            if p.grad is not None:
                p.grad.data.mul_(scale)
    return total


def clip_named(model):
    norm = 0
    for p in model.parameters():
        if p.grad is None:
            continue
        one = torch.norm(p.grad.detach(), p=2)
        norm += one.item() ** 2  # want SAT315 "once per parameter"
    norm = math.sqrt(norm)
    factor = 1.0 / (norm + 1e-6)
    if factor < 1:
        for p in model.parameters():
            if p.grad is None:
                continue
            p.grad *= factor


def clip_and_say(model, max_norm):
    total = 0.0
    for p in model.parameters():
        if p.grad is not None:
            total += p.grad.data.norm(2).item() ** 2  # want SAT315 "once per parameter"
    total = total ** 0.5
    scale = max_norm / (total + 1e-6)
    if scale < 1:
        for p in model.parameters():
            if p.grad is not None:
                p.grad.data.mul_(scale)
    return total  # a number that the loop counts with


def train(loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loud = 0
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        clip(model, 1.0)
        clip_named(model)
        loud += clip_and_say(model, 1.0) > 10
        optimizer.step()
    return loud
