import numpy as np
import pandas as pd
from torch.utils.data import Dataset


def parts(stamps):
    return np.stack([stamps.hour, stamps.dayofweek], 1)


class Series(Dataset):
    def __init__(self, path):
        frame = pd.read_csv(path)
        self.values, self.dates = frame.values, frame["date"]
        self.first = parts(pd.DatetimeIndex(pd.to_datetime(self.dates)))

    def __len__(self):
        return len(self.values) - 96

    def __getitem__(self, i):
        stamp = parts(pd.DatetimeIndex(pd.to_datetime(self.dates[i : i + 96])))  # want SAT104 "computes the same for each sample"
        return self.values[i : i + 96], stamp
