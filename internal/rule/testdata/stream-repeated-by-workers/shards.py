import random
import tarfile

import torch
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, shards):
        self.shards = shards

    def members(self):
        order = self.shards[:]
        random.shuffle(order)
        for path in order:  # told SAT213 "this whole loop"
            with tarfile.open(path) as tar:
                yield from tar

    def __iter__(self):
        pool = []
        for member in self.members():
            pool.append(member)
            if len(pool) > 100:
                k = random.randrange(len(pool))
                pool[k], pool[-1] = pool[-1], pool[k]
                yield pool.pop()


class Draws(IterableDataset):
    def __init__(self, shards):
        self.shards = shards

    def __iter__(self):
        while True:
            yield random.choice(self.shards)


def main(net, shards):
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    for loader in (
        DataLoader(Stream(shards), batch_size=8, num_workers=8),  # want SAT213 "whole stream"
        DataLoader(Draws(shards), batch_size=8, num_workers=8),
    ):
        for x in loader:
            net(x.cuda()).sum().backward()
            opt.step()
