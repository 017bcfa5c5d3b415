"""Rows of a log whose values are looked at every few steps, over a window: they stay on the GPU until then."""
import torch
from torch import nn


def main(loader, steps):
    device = torch.device("cuda")
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history, step = [], 0
    while step < steps:
        for x in loader:
            loss = model(x.to(device, non_blocking=True)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            history.append({"step": step, "loss": loss.item()})  # want SAT301 "waits for the GPU"
            if step % 50 == 0:
                recent = [row["loss"] for row in history[-50:]]
                print(step, sum(recent) / len(recent), history[-1]["loss"])
    torch.save(history, "history.pt")


def watched(loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    log = []
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.append({"loss": loss.item()})  # want SAT301 "waits for the GPU"
        if sum(row["loss"] for row in log[-10:]) > 100:  # each step decides by it
            break
    return log
