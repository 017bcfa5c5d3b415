import itertools

import torch
from torch.utils.data import DataLoader, Sampler
from torch.utils.data.sampler import BatchSampler


class Forever(Sampler):
    def __init__(self, size, rank=0, ranks=1):
        self.size, self.rank, self.ranks = size, rank, ranks

    def __iter__(self):
        yield from itertools.islice(self.indices(), self.rank, None, self.ranks)

    def indices(self):
        while True:
            yield from torch.randperm(self.size)


class Groups(BatchSampler):
    def __iter__(self):
        for batch in super().__iter__():
            yield [(i, True) for i in batch]


def train(model, data, optimizer):
    kwargs = {"num_workers": 4, "pin_memory": True}
    kwargs["batch_sampler"] = Groups(sampler=Forever(len(data)), batch_size=8, drop_last=False)
    loader = DataLoader(data, **kwargs)
    for epoch in range(300):
        for x in loader:
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
