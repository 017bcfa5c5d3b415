"""Collate functions that make a tensor of the arrays that their dataset gives: by key, by place, unpacked."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Keyed(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        mel = np.load(self.names[i])
        return {"mel": mel, "label": i % 10, "length": len(mel)}


class Collator:
    def __call__(self, items):
        mels = torch.tensor([f["mel"] for f in items])  # want SAT116 "a tensor is made from a list of NumPy arrays"
        labels = torch.tensor([f["label"] for f in items])
        return mels, labels, torch.tensor([f["length"] for f in items])


class Placed(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        x = np.array(self.rows[i], dtype=np.float32)
        return x, i % 10


def by_place(batch):
    return torch.FloatTensor([b[0] for b in batch]), torch.tensor([b[1] for b in batch])  # want SAT116 "a tensor is made from a list"


def unpacked(batch):
    xs = torch.tensor([x for x, _ in batch])  # want SAT116 "a tensor is made from a list of NumPy arrays"
    return xs, torch.tensor([y for _, y in batch])


def train(names, rows, model, optimizer):
    a = DataLoader(Keyed(names), 32, shuffle=True, num_workers=4, pin_memory=True, collate_fn=Collator())
    b = DataLoader(Placed(rows), 32, shuffle=True, num_workers=4, pin_memory=True, collate_fn=by_place)
    c = DataLoader(Placed(rows), 32, shuffle=True, num_workers=4, pin_memory=True, collate_fn=unpacked)
    for loader in (a, b, c):
        for batch in loader:
            loss = model(*[x.cuda(non_blocking=True) for x in batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
