"""Features of several recordings are loaded whole, and a window of each is kept."""
import random

import numpy as np
import torch
from torch.utils.data import Dataset


class Speakers(Dataset):
    def __init__(self, paths, width):
        self.paths, self.width = paths, width

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        whole = [torch.load(path) for path in self.paths[i]]  # want SAT109 "to keep a random part"
        starts = [random.randrange(len(one) - self.width) for one in whole]
        return [one[at : at + self.width] for at, one in zip(starts, whole)]


class Pairs(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        first = torch.load(self.paths[i], mmap=True)
        at = np.random.randint(first.size(0) - 80)
        return first[at : at + 80]


class Whole(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.load(self.paths[i])
