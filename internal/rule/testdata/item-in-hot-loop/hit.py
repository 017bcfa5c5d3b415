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
        accuracy = (out.argmax(1) == y).float().mean().item()  # want SAT301 "waits"
    return total / len(loader), losses, accuracy


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
