import audioread
import numpy as np
from torch.utils.data import Dataset


def decode(path):
    with audioread.audio_open(path) as file:  # want SAT110 "through audioread"
        return np.frombuffer(b"".join(file), dtype="<i2")


class Clips(Dataset):
    def __getitem__(self, i):
        return decode(self.files[i])
