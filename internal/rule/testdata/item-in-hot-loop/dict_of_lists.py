"""Lists in a dict: the values stay on the GPU until a guard lets them be shown, or until the loop has ended."""
from collections import defaultdict

import torch
from torch import nn


def main(loader, epochs):
    device = torch.device("cuda")
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = {"loss": [], "rate": []}
    for epoch in range(epochs):
        for step, x in enumerate(loader):
            loss = model(x.to(device, non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history["loss"].append(loss.item())  # want SAT301 "waits for the GPU"
            history["rate"].append(optimizer.param_groups[0]["lr"])
            if step % 50 == 0:
                recent = history["loss"][-50:]
                print(step, sum(recent) / len(recent), history["loss"][-1], len(history["loss"]))
    return history


def handed(loader, show):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    log = defaultdict(list)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log["loss"].append(loss.item())  # want SAT301 "waits for the GPU"
        show(log)  # which needs numbers
    return log
