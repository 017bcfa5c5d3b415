import torch
from torch.utils.data import DataLoader, Dataset


class Notes(Dataset):
    def __init__(self, rows, width, pad):
        self.rows, self.width, self.pad = rows, width, pad

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids = self.rows[i]
        room = self.width
        ids = ids[:room]
        return torch.tensor(ids + [self.pad] * (room - len(ids)))  # want SAT113 "fixed length"


class Ragged(Dataset):
    def __init__(self, rows, pad):
        self.rows, self.pad = rows, pad

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        parts = self.rows[i]
        room = max(len(p) for p in parts)
        return torch.tensor([p + [self.pad] * (room - len(p)) for p in parts])


def train(model, optimizer, rows):
    model.cuda()
    for data in (Notes(rows, 512, 0), Ragged(rows, 0)):
        for batch in DataLoader(data, batch_size=8, num_workers=4):
            model(batch.cuda()).backward()
            optimizer.step()
            optimizer.zero_grad()
