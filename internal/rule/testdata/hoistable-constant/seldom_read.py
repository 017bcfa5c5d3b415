"""What only a log reads, computed in every step."""

import torch
from torch import nn
from torchvision.ops import nms


def found(boxes, scores):
    kept = []
    for b, s in zip(boxes, scores):
        kept.append(b[nms(b, s, 0.5)])
    return kept


def accuracy(out, y):
    return (out.argmax(1) == y).float().mean().item() * 100


def clip_(parameters):
    norm = 0
    for p in parameters:
        norm += p.grad.norm().item()
        p.grad.clamp_(-1, 1)
    return norm


def cheap(out, y):
    return (out.argmax(1) == y).float().mean()


def train(model, loader, optimizer, log_every):
    model.cuda()
    for step, (x, y, boxes) in enumerate(loader):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        out, scores = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        hits = sum(len(b) for b in found(boxes, scores))  # want SAT318 "hits is computed in every step"
        right = accuracy(out, y)  # want SAT318 "right is computed in every step"
        norm = clip_(model.parameters())
        some = cheap(out, y)
        kept = found(boxes, scores)
        optimizer.step()
        if step % log_every == 0:
            print(step, loss.item(), hits, right, norm, some, len(kept))
    return kept
