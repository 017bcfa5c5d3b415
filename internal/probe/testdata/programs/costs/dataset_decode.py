"""A data set that reads a file, which waits, and decodes it, which computes and calls a helper of its own class."""

import time

import torch
from hand import asked, tell, timed, train
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __len__(self):
        return 100_000

    def read(self, index):
        time.sleep(0.001)
        return index

    @timed("function")
    def decode(self, data):
        total = sum(self.filtered(data, i) for i in range(4))
        return torch.full((8,), float(total % 7))

    def filtered(self, data, i):
        total = 0
        for k in range(4000):
            total += (k ^ data) & 255
        return total + i

    def __getitem__(self, index):
        return self.decode(self.read(index))


train(asked(DataLoader(Clips(), batch_size=4)))
tell()
