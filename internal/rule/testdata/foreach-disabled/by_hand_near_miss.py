import torch
from torch import nn


def train(model, head, table, loader, rate):
    model.cuda()
    optimizer = torch.optim.AdamW([table], lr=1e-3)
    for p in model.parameters():
        p.data.mul_(0.5)
    for step, x in enumerate(loader):
        model(x.cuda()).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        for p in model.parameters():
            p.grad = None
        if step % 1000 == 0:
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-rate)
