import numpy as np
import pandas as pd
import torch
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, path, scale=True):
        self.path, self.scale = path, scale
        self.read()

    def read(self):
        self.scaler = StandardScaler()
        frame = pd.read_csv(self.path)
        if self.scale:
            self.scaler.fit(frame.values)
            data = self.scaler.transform(frame.values)
        else:
            data = frame.values
        self.x = data[:1000]

    def __len__(self):
        return len(self.x) - 96

    def __getitem__(self, i):
        past = self.x[i : i + 48]
        later = self.x[i + 48 : i + 96]
        return past, later  # want SAT423 "samples are float64"


class Narrow(Dataset):
    def __init__(self, path):
        self.path = path
        self.read()

    def read(self):
        data = np.load(self.path).astype(np.float32)
        self.x = data[:1000]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.x[i]


def train(model, path, optimizer):
    model.cuda()
    for data in (Windows(path), Narrow(path)):
        for past, later in DataLoader(data, batch_size=64, num_workers=8, pin_memory=True):
            past = past.float().cuda(non_blocking=True)
            loss = (model(past) - later.float().cuda(non_blocking=True)).abs().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
