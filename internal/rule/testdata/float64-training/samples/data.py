import numpy as np
import pandas as pd
import torch
from sklearn.preprocessing import StandardScaler
from torch.utils.data import Dataset


class Scaled(Dataset):
    def __init__(self, path, seq):
        frame = pd.read_csv(path)
        scaler = StandardScaler().fit(frame.iloc[:100, 1:].values)
        self.x = scaler.transform(frame.iloc[:, 1:].values)
        self.seq = seq

    def __len__(self):
        return len(self.x) - self.seq

    def __getitem__(self, i):
        return self.x[i : i + self.seq], i  # want SAT423 "samples are float64"


class Logarithms(Dataset):
    def __init__(self, path):
        self.rows = np.load(path)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        x = np.log1p(self.rows[i].astype(np.float64))
        return {"x": torch.tensor(x), "y": i}  # want SAT423 "samples are float64"


class Converted(Dataset):
    def __init__(self, path):
        self.rows = np.random.randn(100, 9)
        self.first = np.zeros(9, dtype=np.float32)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i]).float(), self.rows[i].astype("float32"), self.first[i]


class Unknown(Dataset):
    def __init__(self, path):
        self.rows = np.load(path)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Rooms(Dataset):
    def __init__(self, path, transform=None):
        self.rooms, self.transform = np.load(path), transform

    def __len__(self):
        return len(self.rooms)

    def __getitem__(self, i):
        points = np.zeros((4096, 6))
        points[:, :3] = self.rooms[i]
        labels = self.rooms[i][:, 3]
        if self.transform is not None:
            points, labels = self.transform(points, labels)
        return points, labels  # want SAT423 "samples are float64"


class Sessions(Dataset):
    def __init__(self, path):
        self.rows = np.load(path)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        adjacent = np.zeros((70, 70))
        adjacent[0, 1] = 1
        return [torch.tensor(adjacent), torch.tensor(self.rows[i])]  # want SAT423 "samples are float64"


class Rounded(Dataset):
    def __init__(self, path):
        self.rows = np.load(path)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        points = np.zeros((70, 70))
        points = points.astype(np.float32)
        return points, i
