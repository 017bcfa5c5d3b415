import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from options import options


class Voices(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Cropped:
    def __call__(self, batch):
        cut = []
        for row in batch:
            start = np.random.randint(0, len(row) - 64)
            cut.append(np.pad(row[start:start + 64], ((0, 128), (0, 0))))
        return torch.from_numpy(np.stack(cut))


def make(options, rows):
    return DataLoader(  # want SAT201 "in the training process"
        Voices(rows), batch_size=options.batch_size, num_workers=options.num_workers, collate_fn=Cropped())


def train(model, rows, optimizer):
    model.cuda()
    loader = make(options, rows)
    for epoch in range(10):
        for x in loader:
            model(x.cuda()).sum().backward()
            optimizer.step()
