import numpy as np
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, TensorDataset


class Loaded(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.from_numpy(np.load(self.paths[i]))


class Mapped(Dataset):
    def __init__(self, path):
        self.rows = np.load(path, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Whole(Dataset):
    def __init__(self, n):
        self.rows = torch.zeros(n, 8)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __getitems__(self, indices):
        return self.rows[indices]


class Drawn(Dataset):
    def __init__(self, n, draw):
        self.rows = torch.zeros(n, 8)
        self.draw = draw

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.draw(self.rows[i])


def fit(loader):
    model = nn.Linear(8, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x[0].cuda()).mean()
        loss.backward()
        optimizer.step()


def main(paths, x, y, draw):
    data = TensorDataset(x, y)
    fit(DataLoader(Loaded(paths), batch_size=1024, num_workers=4))
    fit(DataLoader(Mapped("rows.npy"), batch_size=1024, num_workers=4))
    fit(DataLoader(Whole(10000), batch_size=1024, num_workers=4, collate_fn=lambda rows: rows))
    fit(DataLoader(Drawn(10000, draw), batch_size=1024, num_workers=4))
    fit(DataLoader(data, batch_size=32, num_workers=4))
    fit(DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), 1024, False), num_workers=4))
