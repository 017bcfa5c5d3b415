"""Point clouds as text, a mesh and a table: all parsed again in each epoch."""
import numpy as np
import pandas as pd
import torch
from plyfile import PlyData
from torch.utils.data import DataLoader, Dataset


def points_of(path):
    return np.genfromtxt(path, delimiter=",").astype(np.float32)  # want SAT134 "a text file is parsed"


class Clouds(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        cloud = np.loadtxt(self.files[i][0])
        table = pd.read_csv(self.files[i][1]).to_numpy()
        return torch.from_numpy(cloud), torch.from_numpy(table)


class Meshes(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with open(self.files[i], "rb") as f:
            mesh = PlyData.read(f)
        return torch.tensor(mesh["vertex"]["x"]), points_of(self.files[i])


def train(model, files, optimizer):
    model.cuda()
    for data in (Clouds(files), Meshes(files)):
        for epoch in range(10):
            for x in DataLoader(data, batch_size=4, num_workers=8, shuffle=True):
                model(x).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
