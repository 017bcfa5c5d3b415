"""Tensors in a list or pairs that are written out."""

import torch


def numbers(near, far):
    return [part.item() for part in (near, far)]  # want SAT301 "part.item.. waits"


def named(near, far, count):
    shown = {}
    for name, part in [("near", near), ("far", far)]:
        shown[name] = float(part)  # want SAT301 "float.part. waits"
    for name, n in [("count", count), ("rows", len(near))]:
        shown[name] = float(n)
    return shown


def worst(near, far):
    parts = [near, far]
    return max(p.item() for p in parts)  # want SAT301 "p.item.. waits"


def train(loader):
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = []
    for count, x in enumerate(loader):
        y = model(x.cuda())
        near, far = y.abs().mean(0), y.pow(2).mean(0)
        loss = near.mean() + far.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen.append((numbers(near, far), named(near, far, count), worst(near, far)))
    return seen


train(torch.utils.data.DataLoader(torch.rand(64, 8)))
