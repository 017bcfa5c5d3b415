import copy

import torch
from torch import nn


def average(source, target, decay):
    for a, w in zip(target.parameters(), source.parameters()):
        a.data.mul_(decay).add_(w.data, alpha=1 - decay)


def copy_to(source, target):
    for a, w in zip(target.parameters(), source.parameters()):
        a.data.copy_(w.data)


def blend(a, b, share):
    return [x * share + y for x, y in zip(a, b)]


def train(loader):
    model = nn.Linear(8, 8).cuda()
    slow = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        for w in model.parameters():
            loss += 0.01 * torch.sum(w**2)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        copy_to(model, slow)
        if step % 100 == 0:
            average(model, slow, 0.999)
