"""The number of workers in a function that makes the loader says nothing of how the stream is split."""

import torch
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        for file in self.files:
            with open(file) as f:
                yield from f


def unused(files):
    workers = 2
    return files[::workers]


class Parts(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        for file in self.files:
            with open(file) as f:
                yield from f


def make(files, conf, workers=4):
    print(conf.workers)
    return DataLoader(Parts(files), 8, num_workers=workers)  # want SAT213 "whole stream"


def train(files, model, optimizer):
    for x in make(files, None):
        loss = model(torch.tensor(float(x)).cuda())
        loss.backward()
        optimizer.step()
