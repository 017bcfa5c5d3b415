import math

import torch


def train(model, loader, optimizer, criterion, names):
    total = torch.zeros((), device="cuda")
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss.detach()
        if step % 100 == 0:
            print(loss.item())
        for name, value in names.items():
            print(name, float(value), int(step))
    return total.item()


def evaluate(model, loader, criterion):
    total = 0
    with torch.no_grad():
        for x, y in loader:
            total += criterion(model(x), y).item()
    return total


def read_once(model, loader, optimizer):
    """What the host has read is a number from then on."""
    model.cuda()
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        if optimizer.count % 100 == 0:
            loss = loss.item()
            if loss > 1e8 or math.isnan(loss):
                raise RuntimeError("diverged")
