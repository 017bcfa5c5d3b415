import numpy as np
import torch

windows = {}


def window(size, device):
    if size not in windows:
        windows[size] = torch.hann_window(size).to(device)
    return windows[size]


def train(model, loader, optimizer, device, values):
    start = torch.zeros(1).to(device)
    model.to(device)
    for step, (x, y) in enumerate(loader):
        x = x.to(device, non_blocking=True)
        there = torch.zeros(3, device=device)
        like = torch.zeros_like(x).to(device)
        copied = torch.tensor(values).to(device)
        array = torch.from_numpy(np.zeros(3)).to(device)
        cast = torch.ones(3, device=device).to(torch.float16)
        if step % 100 == 0:
            extra = torch.zeros(1).to(device)
        loss = model(x).mean() + there.sum() + window(400, device).sum()
        loss.backward()
        optimizer.step()


def infer(model, x, device):
    for _ in range(10):
        x = model(x, torch.zeros(1).to(device))
    return x
