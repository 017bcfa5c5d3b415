from pathlib import Path

import imageio
import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, images):
        self.files = {p.stem: p for p in Path(images).glob("*.*")}
        self.names = sorted(self.files)
        self.found = {}

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        name = self.names[i]
        if name not in self.found:
            self.found[name] = list(Path("masks").glob(name + ".*"))  # once for each
        return torch.load(self.files[name]), torch.load(self.found[name][0])


class Views(Dataset):
    def __init__(self, folders):
        self.folders = folders

    def __len__(self):
        return len(self.folders)

    def __getitem__(self, i):
        views = sorted(Path(self.folders[i]).glob("*.png"))
        images = []
        for view in views:  # which takes far longer
            images.append(torch.from_numpy(imageio.imread(view)))
        return torch.stack(images)


def train(model, optimizer):
    for batch in DataLoader(Pairs("a"), batch_size=32):
        model(batch).mean().backward()
        optimizer.step()
    for batch in DataLoader(Views(["a"]), batch_size=32):
        model(batch).mean().backward()
        optimizer.step()
