import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset


class Meters(Dataset):
    def __init__(self, path, meters, length):
        self.path, self.meters, self.length = path, meters, length

    def __len__(self):
        return len(self.meters)

    def __getitem__(self, i):
        name = self.meters[i]
        column = pd.read_parquet(self.path, columns=[name])[name]  # want SAT106 "the same file is loaded for every sample"
        return torch.from_numpy(column.to_numpy()[: self.length])


def train(model, meters, optimizer):
    model.cuda()
    for epoch in range(10):
        for values in DataLoader(Meters("load.parquet", meters, 512), batch_size=64, num_workers=8, pin_memory=True):
            model(values.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
