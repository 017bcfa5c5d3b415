"""A mask of pairs is as large as the square of what it is made of."""
import numpy as np
import torch
from torch.utils.data import DataLoader


def collate(rows):
    kept = np.stack([row > 0 for row in rows])
    pairs = np.einsum("ni, nj -> nij", kept, kept)  # want SAT130 "two masks of length L"
    weights = np.einsum("ni,i->n", kept, np.arange(kept.shape[1]))
    return torch.from_numpy(pairs), torch.from_numpy(weights)


def train(model, rows, optimizer):
    model.cuda()
    for pairs, weights in DataLoader(rows, 32, collate_fn=collate, num_workers=2, pin_memory=True, persistent_workers=True):
        loss = model(pairs.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
