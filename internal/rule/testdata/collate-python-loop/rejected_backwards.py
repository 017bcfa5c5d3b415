"""Negatives for each element of a history, whose positions are counted."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Plays(Dataset):
    def __init__(self, histories, items):
        self.histories, self.items = histories, items

    def __len__(self):
        return len(self.histories)

    def __getitem__(self, i):
        history = self.histories[i]
        known, negatives = set(history), []
        for k in range(len(history) - 1, 0, -1):
            other = random.randint(1, self.items)
            while other in known:  # want SAT125 "draws numbers one by one for each element of a sample"
                other = random.randint(1, self.items)
            negatives.append(other)
        return torch.tensor(history), torch.tensor(negatives)


def train(model, histories, items, optimizer):
    model.cuda()
    for epoch in range(10):
        for seen, other in DataLoader(Plays(histories, items), batch_size=64, num_workers=8, pin_memory=True):
            model(seen.cuda(non_blocking=True), other.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
