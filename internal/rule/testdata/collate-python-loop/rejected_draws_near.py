"""Draws that are few, or that one call makes."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, pairs, seen, items, negatives=4):
        self.pairs, self.seen, self.items, self.negatives = pairs, seen, items, negatives

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        user, item = self.pairs[i]
        few = []
        while len(few) < self.negatives:
            j = random.randint(1, self.items)
            if j not in self.seen[user]:
                few.append(j)
        other = random.randrange(len(self.pairs))
        while other == i:
            other = random.randrange(len(self.pairs))
        many = np.random.randint(self.items, size=256)
        return user, item, torch.tensor(few), other, torch.from_numpy(many)


def held_out(seen, items):
    """Once, before training."""
    rows = []
    for user in seen:
        while len(rows) < 100:
            j = random.randint(1, items)
            if j not in seen[user]:
                rows.append(j)
    return rows


def fit(model, pairs, seen, items):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    rows = torch.tensor(held_out(seen, items))
    for batch in DataLoader(Pairs(pairs, seen, items), 512, shuffle=True, num_workers=8, pin_memory=True):
        loss = model(*[x.cuda(non_blocking=True) for x in batch], rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
