import numpy as np
import torch
from torch.utils.data import DataLoader


def collate(rows):
    a = torch.tensor([len(r) for r in rows])
    b = torch.tensor(np.stack([np.load(r) for r in rows]))
    c = torch.tensor([r["label"] for r in rows])
    d = torch.tensor([np.mean(r) for r in rows])
    ids = []
    for r in rows:
        ids.append(np.array(r))
    ids = pad(ids)
    numbers = np.load(rows[0])
    e = torch.tensor([int(n) for n in numbers])
    f = torch.tensor([n.mean() for n in numbers])
    g = torch.tensor([n for n in numbers if n.any()] + [0])
    h = torch.tensor([r for r in rows])
    return a, b, c, d, e, f, g, h, torch.tensor(ids)


def pad(arrays):
    return np.stack(arrays)


loader = DataLoader([], collate_fn=collate)


def once(files):
    return torch.tensor([np.load(f) for f in files])
