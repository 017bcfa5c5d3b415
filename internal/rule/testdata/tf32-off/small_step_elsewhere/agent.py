import torch
from torch import nn


def on_device(x, device):
    return x.to(device)


class Learner:
    def __init__(self, make):
        self.device = torch.device("cuda")
        self.critic = on_device(nn.Sequential(nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 4096)), self.device)
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def update(self, x):
        self.optimizer.zero_grad()
        loss = self.critic(x).mean()  # want SAT404 "tensor cores"
        loss.backward()
        self.optimizer.step()
