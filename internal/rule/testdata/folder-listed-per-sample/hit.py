import glob
import os
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = Path(images), Path(masks)
        self.names = sorted(p.stem for p in self.images.iterdir())

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        image = list(self.images.glob(self.names[i] + ".*"))[0]  # want SAT131 "a folder is listed for every sample"
        return torch.load(image), torch.load(self.mask(i))

    def mask(self, i):
        return next(self.masks.rglob(f"{self.names[i]}_mask.*"))  # want SAT131 "folder is listed"


class Frames(Dataset):
    def __init__(self, root):
        self.root, self.clips = root, sorted(os.listdir(root))

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        folder = os.path.join(self.root, self.clips[i])
        files = sorted(os.listdir(folder))  # want SAT131 "folder is listed"
        more = glob.glob(folder + "/*.npy")  # want SAT131 "folder is listed"
        return [torch.load(f) for f in files + more]


def train(model, optimizer):
    for data in (Pairs("a", "b"), Frames("c")):
        for batch in DataLoader(data, batch_size=32):
            model(batch).mean().backward()
            optimizer.step()
