"""Computed on the host in several lines, in either branch, and moved at the end; a label of the loss that is copied."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import normal


def kept_rows(rows):
    return torch.from_numpy(np.random.binomial(1, 0.5, size=(rows,))).to(torch.bool)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.latent = normal.Normal(loc=torch.Tensor([0.0]), scale=torch.Tensor([1.0]))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x, labels, log_normal=False):
        x = self.layer(x)
        if log_normal:
            sigma = torch.randn((x.shape[0], 1)).exp()
            time = sigma / (1 + sigma)
        else:
            time = torch.rand((x.shape[0], 1))
        time = time.to(device=x.device, dtype=x.dtype)  # want SAT312 "is created on the host"
        keep = kept_rows(x.size(0)).to(x.device)  # want SAT312 "is created on the host"
        z = self.latent.sample((x.size(0),))
        z = torch.permute(z, (0, 1)).type_as(x)  # want SAT312 "is created on the host"
        filled = torch.zeros(x.size(0)).float()
        for i in range(x.size(0)):
            filled[i] = labels[i]
        return self.loss(x * time * keep[:, None] * z, filled.to(x.device))


def train(loader, optimizer):
    model = Net().cuda()
    for x, names in loader:
        loss = model(x.cuda(), names)
        loss.backward()
        optimizer.step()
