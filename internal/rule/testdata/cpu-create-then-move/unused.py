import torch
from torch import nn


class Shift(nn.Module):  # Shift: nothing makes one
    def forward(self, x):
        return torch.cat([x, torch.zeros(x.size(0), 3).to(x.device)], dim=1)


def train(model, loader, optimizer):
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
