import os

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class Articles(Dataset):
    def __init__(self, where):
        self.where = where
        self.is_folder = os.path.isdir(where)

    def __len__(self):
        return 1000

    def __getitem__(self, i):
        if self.is_folder:
            row = torch.load(os.path.join(self.where, f"{i}.pt"))
        else:
            row = torch.load(self.where)[i]
        return row[:512]


class EveryNth(Sampler):
    def __init__(self, data, n):
        self.data, self.n = data, n

    def __iter__(self):
        return iter(range(0, len(self.data), self.n))


class Groups(Sampler):
    def __init__(self, data, batch_size):
        self.data, self.batch_size = data, batch_size

    def __iter__(self):
        return iter([list(range(i, i + self.batch_size)) for i in range(0, len(self.data), self.batch_size)])


def main(model, optimizer, ranks):
    model.cuda()
    loader = DataLoader(Articles("train"), batch_size=64)
    held = Articles("held")
    one = DataLoader(held, 1, sampler=EveryNth(held, ranks) if ranks > 1 else None)  # want SAT709 "one sample at a time"
    grouped = DataLoader(held, 1, sampler=Groups(held, 64))
    for epoch in range(10):
        for x in loader:
            model(x.cuda()).sum().backward()
            optimizer.step()
        with torch.no_grad():
            for x in one:
                model(x.cuda())
            for x in grouped:
                model(x[0].cuda())
