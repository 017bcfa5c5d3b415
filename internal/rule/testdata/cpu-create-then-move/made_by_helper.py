import torch
import torch.nn as nn
import torch.nn.functional as F


def class_weights(labels, k):
    w = torch.zeros(k)
    for label in labels:
        w[label] += 1
    return w.sum() / (k * w.clamp(min=1))


def on_device(k):
    return torch.ones(k, device="cuda")


def train(loader, labels, device=torch.device("cuda")):
    model = nn.Linear(64, 10).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    weights, there = class_weights(labels, 10), on_device(10)
    scale = class_weights(labels, 10)
    for x, y in loader:
        out = model(x.to(device)) * there.to(device)
        loss = F.cross_entropy(out, y.to(device), weight=scale.to(device))  # want SAT312 "scale stays on the host"
        loss.backward()
        optimizer.step()
    return weights
