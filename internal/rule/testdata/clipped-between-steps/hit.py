import torch
from torch.nn.utils import clip_grad_norm_


def train(model, loader, optimizer, accumulate=4):
    model.cuda()
    for i, (x, y) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        (loss / 4).backward()
        clip_grad_norm_(model.parameters(), 1.0)  # want SAT327 "clipped in every step"
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def train_scaled(model, loader, optimizer, scaler):
    for i, (x, y) in enumerate(loader):
        loss = model(x.cuda(non_blocking=True)).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)  # want SAT327 "clipped"
        if i % 8 != 7:
            continue
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
