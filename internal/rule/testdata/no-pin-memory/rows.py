import csv

import torch
from torch.utils.data import DataLoader, Dataset


class Houses(Dataset):
    def __init__(self, path):
        with open(path) as f:
            self.rows = [[float(x) for x in row] for row in csv.reader(f)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = torch.tensor(self.rows[i])
        return row[:-1], row[-1]


def train(model, path):
    model.cuda()
    update = torch.optim.Adam(model.parameters(), fused=True)
    for x, y in DataLoader(Houses(path), batch_size=256, num_workers=4, shuffle=True):  # want SAT203 "pageable"
        loss = (model(x.cuda()) - y.cuda()).square().mean()
        loss.backward()
        update.step()
        update.zero_grad()
