import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    guesses = None
    for x in loader:
        out = model(x.cuda())
        if guesses is None:
            guesses = out.cpu().numpy()
        else:
            guesses = np.append(guesses, out.cpu().numpy(), axis=0)  # want SAT321 "copies all of guesses"
    return guesses


@torch.no_grad()
def collect(model, loader):
    model.eval()
    parts = []
    for x in loader:
        parts.append(model(x.cuda()).cpu())
    return torch.cat(parts)


@torch.no_grad()
def generate(model, ids, length):
    model.eval()
    for _ in range(length):
        out = model(ids)
        ids = torch.cat((ids, out[:, -1:]), dim=1)
    return ids


def train(loader, held_out):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for epoch in range(10):
        for x in loader:
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        evaluate(model, held_out)
        collect(model, held_out)
        generate(model, next(iter(held_out)), 8)
