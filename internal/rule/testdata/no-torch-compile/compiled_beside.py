"""The compiled model is what training calls, or hands on."""

import torch
from torch import nn


def train(loader, step):
    model = nn.Linear(1024, 1024).to("cuda")
    fast = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(fast(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def train_by(loader, step):
    model = nn.Linear(1024, 1024).to("cuda")
    other = torch.compile(model, backend="inductor")
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = step(other, x, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
