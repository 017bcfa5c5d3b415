import torch
from torch import nn


def train(model, loader, optimizer, criterion, device):
    total = 0.0
    losses = []
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # want SAT301 "loss.item.. waits"
        losses.append(loss.item())  # want SAT301 "waits"
    return total / len(loader), losses


def one_wait_stays(model, loader, optimizer, criterion, device):
    """One wait of each loop stays, so that it would gain nothing to take away the other."""
    total = 0.0
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        optimizer.step()
        total += loss.item()  # want SAT301 "loss.item.. waits"
        accuracy = (out.argmax(1) == y).float().mean().item()  # want SAT301 "waits"
    hits = 0
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = criterion(out, y)
        if torch.isnan(loss):
            raise ValueError("the loss is NaN")
        loss.backward()
        optimizer.step()
        hits += (out.argmax(1) == y).sum().item()  # want SAT301 "waits"
    return total / len(loader), hits, accuracy


class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 3).to("cuda")

    def fit(self, loader):
        for batch in loader:
            self.step(batch)

    def step(self, batch):
        loss = self.model(batch).sum()
        loss.backward()
        self.log(float(loss))  # want SAT301 "waits"

    def log(self, value):
        print(value)
