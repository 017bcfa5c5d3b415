import numpy as np
import torch
import torchaudio
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, first):
        self.first = torch.tensor(first.numpy())

    def __getitem__(self, i):
        audio, rate = torchaudio.load(self.files[i])
        shared = torch.from_numpy(audio.numpy())
        changed = torch.tensor(np.flip(audio.numpy(), -1).copy())
        read = torch.tensor(np.load(self.files[i]))
        return shared, changed, read, torch.tensor(self.table.numpy(i))
