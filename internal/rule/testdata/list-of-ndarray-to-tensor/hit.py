import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def collate(files):
    mels = torch.tensor([np.load(f) for f in files])  # want SAT116 "list of NumPy arrays"
    batch = []
    for f in files:
        batch.append(np.load(f + ".pitch"))
    pitch = torch.FloatTensor(batch)  # want SAT116 "list of NumPy"
    pair = torch.as_tensor([np.zeros(3), np.ones(3)], dtype=torch.float32)  # want SAT116 "list of NumPy"
    return mels, pitch, pair


loader = DataLoader([], collate_fn=collate)


class Frames(Dataset):
    def __getitem__(self, i):
        frames = [np.pad(x, (0, 3)) for x in self.frames[i]]
        return torch.tensor(frames)  # want SAT116 "list of NumPy"

    def __len__(self):
        return 3


class Rows(Dataset):
    def __getitem__(self, i):
        image = np.load(f"{i}.npy")
        mean = np.load("mean.npy")
        for _ in range(3):
            image = np.sort(image, axis=-1)
        a = torch.tensor([row for row in image])  # want SAT116 "element by element"
        b = torch.tensor([row for row in (image - mean)], dtype=torch.float32)  # want SAT116 "element by element"
        rows = [np.sort(row) for row in image]
        return a, b, torch.tensor(rows)  # want SAT116 "list of NumPy"

    def __len__(self):
        return 3
