"""What is evaluated is differentiated by who calls it, or moves against a gradient."""
import torch


def eval_batches(model, batches):
    total = 0.0
    for x in batches:
        total = total + model(x.cuda()).mean()
    return total


def push(model, x):
    x = x.clone().requires_grad_(True)
    model(x).sum().backward()
    return x + 0.1 * x.grad


def validate_pushed(model, loader):
    total = 0.0
    for x in loader:
        total += model(push(model, x.cuda())).mean().item()
    return total


def train(model, groups, val_loader, optimizer):
    for batches in groups:
        loss = eval_batches(model, batches)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return validate_pushed(model, val_loader)
