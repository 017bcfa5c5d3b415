import torch
from torch.cuda.amp import autocast


def train(model, loader, optimizer, criterion):
    for x, y in loader:
        with torch.autocast("cuda"):  # want SAT403 "not scaled"
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()


def train_older(model, loader, optimizer, criterion):
    for x, y in loader:
        with autocast(dtype=torch.float16):  # want SAT403 "not scaled"
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
