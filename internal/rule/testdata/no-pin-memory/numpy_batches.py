"""Pinning touches tensors alone: arrays that become tensors in the step stay where they are."""
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda")


class Mels(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, i):
        return np.load(self.paths[i])

    def __len__(self):
        return len(self.paths)

    def arrays(self, mels):
        return self.pad(mels), np.array([len(m) for m in mels])

    def tensors(self, mels):
        return torch.from_numpy(self.pad(mels))

    def pad(self, mels):
        longest = max(len(m) for m in mels)
        return np.stack([np.pad(m, (0, longest - len(m))) for m in mels])


def train(model, paths):
    data = Mels(paths)
    arrays = DataLoader(data, batch_size=16, collate_fn=data.arrays)
    tensors = DataLoader(data, batch_size=16, num_workers=4, collate_fn=data.tensors)  # want SAT203 "pageable memory"
    for (mels, _), other in zip(arrays, tensors):
        loss = model(torch.from_numpy(mels).to(device), other.to(device)).mean()
        loss.backward()
