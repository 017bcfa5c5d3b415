"""A few numbers, a photo beside them, what is kept, and what is parsed once."""
import functools

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


@functools.lru_cache(None)
def kept(path):
    return np.loadtxt(path)


class Poses(Dataset):
    def __init__(self, files):
        self.files = files
        self.first = [np.loadtxt(f) for f in files]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return np.loadtxt(self.files[i]).reshape(4, 4), kept(self.files[i]), self.first[i]


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        boxes = np.loadtxt(self.files[i] + ".txt")
        return np.asarray(Image.open(self.files[i] + ".jpg")), boxes


class Stored(Dataset):
    def __init__(self, files):
        self.files = files
        self.held = {}

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        if i not in self.held:
            self.held[i] = np.loadtxt(self.files[i])
        return torch.from_numpy(self.held[i])


def train(model, files, optimizer):
    model.cuda()
    for data in (Poses(files), Photos(files), Stored(files)):
        for epoch in range(10):
            for x in DataLoader(data, batch_size=4, num_workers=8, shuffle=True):
                model(x).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
