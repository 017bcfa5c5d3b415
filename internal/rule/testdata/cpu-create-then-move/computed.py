"""Constants that are computed on the host before they are moved, and arrays of NumPy in a model."""
import math

import numpy as np
import torch
from torch import nn


def embed(steps, size):
    rate = math.log(10000) / (size - 1)
    table = torch.exp(torch.arange(size, dtype=torch.float32) * -rate)
    table = table.to(device=steps.device)  # want SAT312 "torch.arange"
    return steps[:, None] * table


def kernel(taps):
    k = np.asarray(taps, dtype=np.float32)
    return np.outer(k, k)


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x, ids):
        k = torch.tensor(kernel([1, 3, 1]), device=x.device)  # want SAT312 "computed on the host and copied"
        targets = torch.ones(x.shape) * -1
        if torch.cuda.is_available():
            targets = targets.cuda()  # want SAT312 "torch.ones"
        last = x[torch.arange(x.size(0)), ids]  # want SAT312 "to index x"
        same = torch.zeros(len(x), 1).type_as(x)  # want SAT312 "torch.zeros"
        box = x / torch.Tensor([[0.1, 0.2]]).cuda()  # want SAT312 "torch.Tensor"
        if x.size(0) not in self.cache:
            self.cache[x.size(0)] = torch.from_numpy(np.eye(x.size(0))).to(x.device)
        shifted = x + torch.arange(x.size(1), device=x.device)
        return embed(last, 8) + k.sum() + targets + same + box + shifted


def train(loader, data):
    model = Filter().cuda()
    optimizer = torch.optim.SGD(model.parameters())
    at = 0
    data = data.cuda()
    for x, ids in loader:
        loss = model(x.cuda(non_blocking=True), ids.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        at += 8
        if at >= len(data):
            data = data[torch.randperm(len(data))]
            at = 0
