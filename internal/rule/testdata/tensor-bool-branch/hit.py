import math

import torch


def train(model, loader, optimizer, criterion, limit):
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        if torch.isnan(loss):  # want SAT305 "torch.isnan.loss. is decided on the host"
            continue
        if not torch.isfinite(loss).all():  # want SAT305 "decided on the host"
            continue
        if loss > limit:  # want SAT305 "loss > limit is decided"
            loss = loss * 0.1
        if math.isnan(loss):  # want SAT305 "decided on the host"
            raise ValueError("the loss is NaN")
        assert not loss.isinf().any(), "infinite"  # want SAT305 "decided on the host"
        scale = 1.0 if (loss < 1).all() else 0.5  # want SAT305 "decided on the host"
        (loss * scale).backward()
        optimizer.step()
