import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")


def train(model, data, optimizer):
    batches = iter(DataLoader(data, pin_memory=True))
    model.to(device)
    for _ in range(1000):
        x, y = [part.to(device) for part in next(batches)]  # want SAT311 "waits for the copy"
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
