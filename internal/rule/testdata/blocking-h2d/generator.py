import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


def batches(data, size):
    order = torch.from_numpy(np.random.permutation(len(data))).cuda()  # once
    for i in range(0, len(data), size):
        yield torch.from_numpy(data[i:i + size]).cuda(), order[i]  # want SAT311 "copied from pageable memory in every step"


class Fetcher:
    def __init__(self, loader):
        self.taken = iter(loader)

    def __next__(self):
        x, y = next(self.taken)
        inputs = dict(x=x, y=y)
        return {k: v.cuda() for k, v in inputs.items()}  # want SAT311 "waits for the copy"


def train(data, loader: DataLoader):
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, first in batches(data, 64):
        model(x).mean().backward()
        optimizer.step()
    fetcher = Fetcher(loader)
    for step in range(1000):
        inputs = next(fetcher)
        (model(inputs["x"]) - inputs["y"]).mean().backward()
        optimizer.step()
