import torch
from torch.utils.data import DataLoader


def train(model, data, optimizer):
    window = torch.ones(3).pin_memory().to("cuda")
    for x in DataLoader(data, pin_memory=True):
        x = x.to("cuda", non_blocking=True)
        pinned = x.pin_memory()
        loss = model(x, window, pinned)
        loss.backward()
        optimizer.step()


def evaluate(model, data):
    for x in data:
        model(x.pin_memory().to("cuda"))
