import pathlib

import numpy as np
from torch.utils.data import Dataset


class Stored(Dataset):
    def __init__(self, folder):
        self.files = sorted(pathlib.Path(folder).glob("*.npy"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return np.load(self.files[i])
