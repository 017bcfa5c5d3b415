import numpy as np
import torch
from torch.utils.data import Dataset


class Samples(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.from_numpy(np.load(f"{index}.npy"))
