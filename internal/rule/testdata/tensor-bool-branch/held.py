"""Answers that a variable holds until a branch asks for them."""
import torch
from torch import nn


def train(loader, optimizer, limit):
    model = nn.Linear(8, 8).cuda()
    strict = limit > 3
    for x in loader:
        loss = model(x.cuda()).mean()
        high = (loss > limit).any()  # want SAT305 "is decided on the host"
        bad = x.shape[0] > 3 and torch.isnan(loss)  # want SAT305 "torch.isnan.loss. is decided on the host"
        far = loss > 100
        if high:
            loss = loss * 2
        if not bad:
            loss.backward()
            optimizer.step()
        if high and strict:
            limit = limit * 2
        loss = torch.where(far, loss, -loss)  # on the GPU


def train_known(loader, optimizer, every):
    model = nn.Linear(8, 8).cuda()
    for step, x in enumerate(loader):
        now = step % 100 == 0
        last = x.shape[0] < 8
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        if now:
            print(loss)
        if last:
            print("the last one")
