import torch
import torch.nn as nn


class Difference(nn.Module):
    def forward(self, a, b):
        return (a - b).abs().mean()


class GANLoss(nn.Module):
    def forward(self, a):
        return nn.functional.softplus(a).mean()


def make(device):
    c = GANLoss().to(device)
    d = nn.MSELoss().to(device)
    return c, d
