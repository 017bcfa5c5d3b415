import random

import torch
from torch.utils.data import DataLoader, Dataset


class Users(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def neighbours(batch):
    most, longest = max(len(r) for r in batch), max(len(n) for r in batch for n in r)
    block = torch.zeros(len(batch), most, longest, dtype=torch.long)
    for i, row in enumerate(batch):
        for j, near in enumerate(row):
            block[i, j, : len(near)] = torch.LongTensor(near)
    return block


def tokens(batch):
    block = torch.zeros(len(batch), max(len(r) for r in batch), dtype=torch.long)
    for i, row in enumerate(batch):
        block[i, : len(row)] = torch.LongTensor(row)
    return block


def train(model, rows, optimizer):
    model.cuda()
    for x in DataLoader(Users(rows), batch_size=256, shuffle=True, collate_fn=neighbours):  # want SAT201 "in the training process"
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    for x in DataLoader(Users(rows), batch_size=256, shuffle=True, collate_fn=tokens):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
