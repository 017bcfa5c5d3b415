"""Functions that a training loop calls again with what never changes."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return self.rows[i]

    def __len__(self):
        return len(self.rows)


def spread(data, device):
    ys = np.array([y for _, y in data.rows], dtype=np.float32)
    return torch.tensor(ys.mean(), device=device), torch.tensor(ys.std(), device=device)


def counts(data, k):
    out = torch.zeros(k)
    for _, y in data.rows:
        out[y] = out[y] + 1
    return torch.log(out + 1)


def sizes(data):
    return {"n": len(data.rows)}


def train(rows, device=torch.device("cuda")):
    data, grown, once, other = Rows(rows), Rows(rows), Rows(rows), Rows(rows)
    model = nn.Linear(64, 1).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    before = spread(once, device)
    for x, y in DataLoader(data, batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        mean, std = spread(once, device)  # want SAT318 "spread computes the same in every step"
        weights = counts(grown, 10)
        meters = sizes(other)
        loss = ((model(x) - (y - mean) / std) * weights.mean().item()).mean() / before[1] + meters["n"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        grown.rows.append((x, y))
