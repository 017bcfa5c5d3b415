import os

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def train(model, data, optimizer, workers):
    model = DistributedDataParallel(model.cuda())
    shared = DataLoader(data, num_workers=os.cpu_count() // torch.cuda.device_count())
    some = DataLoader(data, num_workers=min(8, os.cpu_count()))
    few = DataLoader(data, num_workers=8)
    given = DataLoader(data, num_workers=workers)
    for x in shared:
        model(x).sum().backward()
        optimizer.step()
    return some, few, given
