"""Numbers and lists of tokens, which have no array to copy, and a collate function that stacks first."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"ids": self.rows[i], "mel": np.load(f"{i}.npy"), "length": len(self.rows[i])}


def collate(batch):
    mels = torch.from_numpy(np.stack([b["mel"] for b in batch]))
    return torch.tensor([b["ids"] for b in batch]), mels, torch.tensor([b["length"] for b in batch])


def train(rows, model, optimizer):
    for batch in DataLoader(Tokens(rows), 32, shuffle=True, num_workers=4, pin_memory=True, collate_fn=collate):
        loss = model(*[x.cuda(non_blocking=True) for x in batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
