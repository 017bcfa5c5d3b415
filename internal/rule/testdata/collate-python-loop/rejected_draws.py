"""Negatives that Python draws one by one, until enough of them fit."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

NEGATIVES = 100


class Histories(Dataset):
    def __init__(self, histories):
        self.histories = histories

    def __len__(self):
        return len(self.histories)

    def __getitem__(self, i):
        return i, self.histories[i]


class Negatives:
    def __init__(self, histories, items, negatives):
        self.seen = {i: set(h) for i, h in enumerate(histories)}
        self.items, self.negatives = items, negatives

    def __call__(self, batch):
        drawn = []
        for user, h in batch:
            own = []
            while len(own) < self.negatives:  # want SAT125 "draws 100 numbers one by one for each sample"
                j = random.randint(1, self.items)
                if j not in self.seen[user]:
                    own.append(j)
            drawn.append(own)
        return torch.tensor([u for u, _ in batch]), torch.tensor(drawn)


class Pairs(Dataset):
    def __init__(self, pairs, seen, items):
        self.pairs, self.seen, self.items = pairs, seen, items

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        user, item = self.pairs[i]
        negatives = []
        for _ in range(NEGATIVES):
            j = np.random.randint(self.items)
            while j in self.seen[user]:  # want SAT125 "draws 100 numbers one by one for each sample"
                j = np.random.randint(self.items)
            negatives.append(j)
        return user, item, torch.tensor(negatives)


def another(low, high, taken):
    t = np.random.randint(low, high)
    while t in taken:  # want SAT125 "draws numbers one by one for each element of a sample"
        t = np.random.randint(low, high)
    return t


class Sequences(Dataset):
    def __init__(self, sequences, items, length):
        self.sequences, self.items, self.length = sequences, items, length

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, i):
        seq = self.sequences[i]
        taken = set(seq)
        neg = np.zeros([self.length], dtype=np.int64)
        at = self.length - 1
        for item in reversed(seq[:-1]):
            neg[at] = another(1, self.items + 1, taken)
            at -= 1
        return torch.from_numpy(neg)


def fit(model, histories, pairs, sequences, items):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    a = DataLoader(Histories(histories), 512, shuffle=True, num_workers=8, pin_memory=True, collate_fn=Negatives(histories, items, NEGATIVES))
    b = DataLoader(Pairs(pairs, histories, items), 512, shuffle=True, num_workers=8, pin_memory=True)
    c = DataLoader(Sequences(sequences, items, 200), 512, shuffle=True, num_workers=8, pin_memory=True)
    for loader in (a, b, c):
        for batch in loader:
            loss = model(*[x.cuda(non_blocking=True) for x in batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
