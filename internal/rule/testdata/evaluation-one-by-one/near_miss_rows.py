import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


def shape_of(rows):
    names = []
    for i in range(len(rows)):  # nothing is computed for a row
        names.append(f"row {i}")
    return names


def by_class(guesses, labels):
    return [np.mean(guesses[labels == c]) for c in range(5)]  # a few


def evaluate(model, loader):
    guesses, labels = [], []
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            guesses.append(model(x.cuda()).argmax(1).cpu().numpy())
            labels.append(y.numpy())
    return by_class(np.concatenate(guesses), np.concatenate(labels)), shape_of(guesses)


def report(model, loader):
    """Runs once, after training."""
    rows = np.concatenate([model(x.cuda()).cpu().numpy() for x, _ in loader])
    for i in range(rows.shape[0]):
        for j in range(rows.shape[0]):
            print(np.abs(rows[i] - rows[j]).sum())


def train(data, held_out):
    model = nn.Linear(10, 10).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(data, batch_size=64, num_workers=8, pin_memory=True, persistent_workers=True)
    validation = DataLoader(held_out, batch_size=64, num_workers=8, pin_memory=True, persistent_workers=True)
    for epoch in range(100):
        model.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, evaluate(model, validation))
    report(model, validation)
