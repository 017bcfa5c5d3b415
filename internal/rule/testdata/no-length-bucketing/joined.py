import numpy as np
import torch
from torch.utils.data import DataLoader


def collate(samples):
    spectra = torch.concat([s[None, :] for s in (row["mel"] for row in samples)])
    longest = max(len(row["label"]) for row in samples)
    labels = [np.pad(row["label"], (0, longest - len(row["label"]))) for row in samples]
    return spectra, torch.tensor(np.array(labels))


def train(model, data, optimizer):
    for x, y in DataLoader(data, batch_size=8, shuffle=True, collate_fn=collate):
        loss = model(x.cuda(), y.cuda())
        loss.backward()
        optimizer.step()
