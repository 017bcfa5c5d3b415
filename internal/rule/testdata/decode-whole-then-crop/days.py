import numpy as np
from torch.utils.data import Dataset


class Days(Dataset):
    def __init__(self, index, window):
        self.index, self.window = index, window

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        path, start = self.index[i]
        day = np.load(path)["dbz"]  # want SAT109 "a whole file"
        return day[start : start + self.window]


class Mapped(Dataset):
    def __init__(self, index, window):
        self.index, self.window = index, window

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        path, start = self.index[i]
        day = np.load(path, mmap_mode="r")
        return day[start : start + self.window]


class Whole(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        day = np.load(self.files[i])
        return day[: len(day) // 2], day[len(day) // 2 :]
