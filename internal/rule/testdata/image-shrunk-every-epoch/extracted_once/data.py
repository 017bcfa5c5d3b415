import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset


class Photos(Dataset):  # only a script that prepares data goes over it
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return np.asarray(Image.open(self.paths[i]).convert("RGB").resize((256, 256)))


class Features(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.from_numpy(np.load(self.paths[i]))
