import numpy as np
import torch
from torch import nn


def extract(table, steps):
    return torch.from_numpy(table).to(device=steps.device)[steps].float()  # want SAT312 "table is the same in every step"


class Schedule:
    def __init__(self, betas):
        self.alphas = np.cumprod(1 - betas)
        self.order = list(range(len(betas)))
        self.seen = np.zeros(1000)

    def noise(self, x, steps):
        order = torch.tensor(self.order, device=steps.device)  # want SAT312 "self.order is the same in every step"
        return extract(self.alphas, order[steps]) * x

    def note(self, loss, steps):
        seen = torch.from_numpy(self.seen).to(steps.device)  # filled below
        self.seen[0] = 1
        return loss * seen[steps].mean()


def train(loader):
    device = torch.device("cuda")
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    schedule = Schedule(np.linspace(0.1, 0.2, 1000))
    for x in loader:
        x = x.to(device)
        steps = torch.randint(0, 1000, (len(x),), device=device)
        loss = schedule.note(model(schedule.noise(x, steps)).mean(), steps)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
