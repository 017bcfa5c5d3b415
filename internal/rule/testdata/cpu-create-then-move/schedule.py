import torch
from torch import nn


class Schedule:
    def __init__(self, steps):
        self.betas = torch.linspace(1e-4, 0.02, steps)
        self.kept = torch.sqrt(torch.cumprod(1.0 - self.betas, dim=0))
        self.moved = torch.linspace(0, 1, steps)

    def to(self, device):
        self.moved = self.moved.to(device)
        return self

    def noise(self, x, noise, t):
        kept = self.kept.to(x.device)[t]  # want SAT312 "self.kept is the same in every step"
        return kept * x + self.moved.to(x.device)[t] * noise


def train(loader):
    schedule = Schedule(1000).to("cuda")
    model = nn.Linear(64, 64).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        x = x.to("cuda")
        noise = torch.randn_like(x)
        t = torch.randint(0, 1000, (x.shape[0],), device="cuda")
        loss = (model(schedule.noise(x, noise, t)) - noise).square().mean()
        loss.backward()
        optimizer.step()
