import math
from copy import deepcopy

import numba
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Maps(Dataset):
    def __init__(self, points, sigma):
        self.points, self.sigma = points, sigma

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        heat = np.zeros((64, 64), np.float32)
        for x, y in self.points[index]:
            self.bump(heat, x, y)
        return torch.from_numpy(smoothed(heat)), self.places(self.points[index][:, 0]), shifted(heat)

    def bump(self, heat, x, y):
        low, high = int(x - 4 * self.sigma), int(x + 4 * self.sigma)
        for row in range(max(low, 0), high):  # want SAT125 "heat one element at a time"
            for column in range(int(y - 4 * self.sigma), int(y + 4 * self.sigma)):
                distance = (row - x) ** 2 + (column - y) ** 2
                if distance > 9:
                    continue
                heat[row, column] += math.exp(-distance)

    def places(self, values):
        known = np.unique(values)
        return torch.tensor([np.where(known == v)[0][0] for v in values])  # want SAT125 "one element at a time"


@numba.jit(nopython=True)
def shifted(heat):
    out = np.zeros((64, 64))
    for i in range(64):
        for j in range(64):
            out[i, j] = heat[i, j] + 1
    return out


def smoothed(heat):
    """An element needs the one before."""
    for i in range(1, 64):
        for j in range(1, 64):
            heat[i, j] = 0.5 * heat[i - 1, j - 1]
    return heat


def collate(samples):
    weights, masks = [], []
    for tokens in samples:
        weight = torch.zeros(30000)
        for t in tokens:  # want SAT125 "tokens one element at a time"
            weight[t] = 1 / len(tokens)
        weights.append(weight)
        hidden = [0] * len(tokens)
        for i in range(len(tokens)):
            mask = deepcopy(hidden)
            mask[i] = 1
            masks.append(mask)
    return torch.stack(weights), torch.tensor(masks)


def train(points, texts):
    model = torch.nn.Linear(64, 64).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    heats = DataLoader(Maps(points, 2.5), batch_size=64, num_workers=8, pin_memory=True, persistent_workers=True)
    words = DataLoader(texts, batch_size=64, collate_fn=collate, num_workers=8, pin_memory=True, persistent_workers=True)
    for (heat, _, _), (weight, _) in zip(heats, words):
        loss = model(heat.cuda(non_blocking=True)).mean() + weight.cuda(non_blocking=True).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
