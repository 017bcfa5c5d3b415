"""The number of workers in a function that makes the loader says nothing of how the stream is split."""

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        for file in self.files:
            with open(file) as f:
                yield from f


def part_of(files):
    info = get_worker_info()
    return files[info.id :: info.num_workers]


class Parts(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        for file in part_of(self.files):
            with open(file) as f:
                yield from f


def make(files, conf, workers=4):
    print(conf.workers)
    return DataLoader(Parts(files), 8, num_workers=workers)


def train(files, model, optimizer):
    for x in make(files, None):
        loss = model(torch.tensor(float(x)).cuda())
        loss.backward()
        optimizer.step()
