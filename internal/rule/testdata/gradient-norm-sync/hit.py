import torch
from torch.nn.utils import clip_grad_norm_


def total_norm(model):
    total = 0.0
    for p in model.parameters():
        if p.grad is not None:
            norm = p.grad.detach().norm(2)
            total += norm.item() ** 2  # want SAT315 "once per parameter"
    return total**0.5


def train(model, loader, optimizer, criterion):
    norms = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        total_norm(model)
        largest = max(p.grad.abs().max().item() for p in model.parameters())  # want SAT315 "once per parameter"
        clipped = clip_grad_norm_(model.parameters(), 1.0)
        norms.append(clipped.item())  # want SAT315 "waits for the gradient norm"
        optimizer.step()
