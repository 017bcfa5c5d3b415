import numpy as np
import torch
import torch.nn.functional as F

weights = torch.tensor([1.0, 2.0, 4.0])
mean = torch.tensor([0.5, 0.5, 0.5]).view(1, 3, 1, 1)
moved = torch.tensor([1.0, 2.0, 4.0]).cuda()


def normalise(x):
    return x - mean.cuda()  # want SAT312 "mean stays on the host"


def box(size):
    m = torch.ones(1, 1, size, size)
    m[..., : size // 2, : size // 2] = 0
    return m


def train(model, loader, optimizer, device):
    model.to(device)
    for x, y in loader:
        x, y = normalise(x.to(device, non_blocking=True)), y.to(device, non_blocking=True)
        m = box(32).to(device)  # want SAT312 "is created on the host"
        loss = F.cross_entropy(model(x * m), y, weight=weights.to(device))  # want SAT312 "weights stays on the host"
        loss = loss + F.cross_entropy(model(x), y, weight=moved.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_rows(model, path, optimizer, device):
    model.to(device)
    data = torch.from_numpy(np.load(path))
    there = torch.from_numpy(np.load(path)).to(device)
    for epoch in range(10):
        order = torch.randperm(len(data))
        for i in range(0, len(data), 512):
            x = data[order[i:i + 512]].to(device)  # want SAT312 "stays on the host"
            z = there[order[i:i + 512]].to(device)
            loss = model(x).mean() + model(z).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def train_once(model, loader, optimizer, device):
    model.to(device)
    table = torch.arange(1000.0)
    for x in loader:
        table = table.to(device)
        loss = model(x.to(device, non_blocking=True), table).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
