"""Nothing of this is copied in every step."""
import numpy as np
import torch
from torch import nn


class Table(nn.Module):
    def __init__(self, rows, device):
        super().__init__()
        self.table = torch.tensor(rows, device=device)
        self.weight = torch.LongTensor(np.arange(8)).to(device)
        self.cache = {}

    def forward(self, x):
        if x.size(1) not in self.cache:
            self.cache[x.size(1)] = torch.tensor(np.arange(x.size(1)), device=x.device)
        kind = torch.LongTensor(8).to(torch.float32)
        part = x[0, 1:3]
        same = torch.as_tensor(x, device=x.device)
        return x + self.table + self.weight + self.cache[x.size(1)] + same + part + x[:, -1], kind


def train(loader, rows, device):
    model = Table(rows, device).to(device)
    optimizer = torch.optim.SGD(model.parameters())
    for x in loader:
        loss = model(x.to(device, non_blocking=True))[0].mean()
        full = torch.full((), 1.0, device=device)
        (loss * full).backward()
        optimizer.step()
