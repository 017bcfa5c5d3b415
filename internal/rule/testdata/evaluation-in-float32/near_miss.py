from contextlib import nullcontext

import torch
from torch import nn


@torch.no_grad()
def evaluate(model, held_out):
    model.eval()
    total = torch.zeros((), device="cuda")
    for x, y in held_out:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            total += nn.functional.cross_entropy(model(x.cuda()), y.cuda())
    model.train()
    return total


@torch.no_grad()
def score(model, held_out):
    model.eval()
    return sum(model(x.cuda()).mean() for x, y in held_out)


def train(model, loader, held_out, optimizer, half=True):
    model.cuda()
    context = torch.autocast("cuda", dtype=torch.bfloat16) if half else nullcontext()
    for epoch in range(10):
        for x, y in loader:
            with context:
                loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        evaluate(model, held_out)
        with context:
            score(model, held_out)
        model.eval()
        with torch.no_grad(), context:
            for x, y in held_out:
                model(x.cuda())
        model.train()
