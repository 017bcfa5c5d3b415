import bisect
import pickle

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Shards(Dataset):
    def __init__(self, files, size):
        self.files, self.size = files, size

    def __len__(self):
        return len(self.files) * self.size

    def __getitem__(self, i):
        with open(self.files[i // self.size], "rb") as f:
            block = pickle.load(f)  # want SAT109 "a whole file is loaded for one of its samples"
        return torch.from_numpy(block["x"][i % self.size])


class Unequal(Dataset):
    def __init__(self, files, starts):
        self.files, self.starts = files, starts
        self.number, self.block = None, None

    def __len__(self):
        return self.starts[-1]

    def __getitem__(self, i):
        at = bisect.bisect_right(self.starts, i) - 1
        rows = np.load(self.files[at])  # want SAT109 "a whole file is loaded for one of its samples"
        return rows[i - self.starts[at]]


class Kept(Unequal):
    def __getitem__(self, i):
        at = bisect.bisect_right(self.starts, i) - 1
        if at != self.number:
            self.number, self.block = at, np.load(self.files[at])
        mapped = np.load(self.files[at], mmap_mode="r")
        return self.block[i - self.starts[at]], mapped[0]


def train(model, optimizer, files):
    for data in (Shards(files, 100), Unequal(files, []), Kept(files, [])):
        for x in DataLoader(data, batch_size=32):
            model(x.cuda()).mean().backward()
            optimizer.step()
