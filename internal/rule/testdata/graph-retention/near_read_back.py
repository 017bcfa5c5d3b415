"""What goes back is not what is kept: numbers under the same name, and a count of an object that goes back."""

import torch
from accelerate import Accelerator


def read_back(stats):
    return {key: value.detach().cpu().item() for key, value in stats.items()}


def step(model, x, optimizer):
    model.zero_grad()
    stats = model(x)
    stats["loss"].backward()
    optimizer.step()
    stats = read_back(stats)
    return stats


def train(loader):
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    history = []
    for x in loader:
        numbers = step(model, x.cuda(), optimizer)
        history.append(numbers)


def accelerated(loader):
    accelerator = Accelerator()
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    seen = 0
    for x in loader:
        seen += len(x) * accelerator.num_processes
        loss = model(x).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    print(seen)
