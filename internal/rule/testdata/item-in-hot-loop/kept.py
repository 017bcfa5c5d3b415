import json
import time

import torch


def train(model, loader, optimizer, criterion, device, file):
    losses = []
    log = []
    clock = time.time()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # want SAT301 "waits"
        value = loss.item()  # want SAT301 "waits"
        log.append({"step": step, "loss": value, "seconds": time.time() - clock})
        if step % 100 == 0:
            print(f"{step} {value:.4f} {log[-1]['seconds']:.1f}")
    file.write(json.dumps(log))
    return losses


def used_in_the_loop(model, loader, optimizer, criterion):
    """The next step depends on it, or the loop is left with it: it is read as before."""
    losses = []
    best = []
    model.cuda()
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())  # want SAT301 "waits"
        best.append(min(losses))
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        best.append(loss.item())  # told SAT301 "waits"
        if len(best) > 100:
            return best


def correct(model, loader, optimizer, criterion):
    hits, total = 0, 0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        hits += (out.argmax(1) == y).sum().item()  # want SAT301 "waits"
        total += len(y)
    return hits / total
