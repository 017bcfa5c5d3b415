import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Held(Dataset):
    """Images that are decoded once."""

    def __init__(self, files):
        self.images = [np.asarray(Image.open(f)) for f in files]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i])


class Kept(Dataset):
    """Images that are decoded when they are first needed."""

    def __init__(self, files):
        self.files, self.images = files, {}

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        if i not in self.images:
            self.images[i] = np.asarray([Image.open(f) for f in self.files[i]])
        return torch.from_numpy(self.images[i])


class Retried(Dataset):
    """One image for each sample: small."""

    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        while True:
            try:
                return torch.from_numpy(np.asarray(Image.open(self.files[i])))
            except OSError:
                i += 1


def train(model, optimizer):
    model.cuda()
    for kind in (Held, Kept, Retried):
        for batch in DataLoader(kind(["a.png"]), batch_size=8, num_workers=16):
            model(batch.cuda()).backward()
            optimizer.step()
            optimizer.zero_grad()
