import torch

grid = None


def set_grid(x):
    global grid
    grid = torch.arange(x.size(1)).to(x.device)  # once


def shift(x):
    if grid is None or grid.size(0) < x.size(1):
        set_grid(x)
    return x + grid


def train(model, loader, optimizer):
    model.to("cuda")
    for x in loader:
        x = x.cuda(non_blocking=True)
        loss = model(shift(x)).mean()
        loss.backward()
        optimizer.step()
