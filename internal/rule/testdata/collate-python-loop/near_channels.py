import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def normalize(images, mean, std):
    if images.dim() == 3:
        assert len(mean) == images.shape[0]
    else:
        assert len(mean) == images.shape[1]
    out = torch.zeros_like(images)
    for i in range(len(mean)):
        if images.dim() == 3:
            out[i] = (images[i] - mean[i]) / std[i]
        else:
            out[:, i] = (images[:, i] - mean[i]) / std[i]
    return out


class Clips(Dataset):
    def __init__(self, paths, mean, std):
        self.paths, self.mean, self.std = paths, mean, std

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        images = torch.from_numpy(np.load(self.paths[i])).float()
        return normalize(images, np.array(self.mean, dtype=np.float32), np.array(self.std, dtype=np.float32))


def train(model, optimizer, paths, mean, std):
    for x in DataLoader(Clips(paths, mean, std), batch_size=8, num_workers=4):
        model(x.cuda()).mean().backward()
        optimizer.step()
