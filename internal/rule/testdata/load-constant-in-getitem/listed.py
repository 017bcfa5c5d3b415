import os
import random

import numpy as np
from torch.utils.data import Dataset


class Speakers(Dataset):
    def __init__(self, path):
        self.path = path
        self.files = os.listdir(path)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        files = os.listdir(self.path)  # want SAT106 "the same folder is listed"
        return np.load(os.path.join(self.path, random.choice(files)))


class Folders(Dataset):
    def __init__(self, folders):
        self.folders = folders

    def __len__(self):
        return len(self.folders)

    def __getitem__(self, i):
        files = os.listdir(self.folders[i])
        return np.load(os.path.join(self.folders[i], random.choice(files)))
