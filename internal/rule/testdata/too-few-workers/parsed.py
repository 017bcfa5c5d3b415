"""Text takes longer than sound, and one of two datasets is text."""
import argparse

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Clouds(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.from_numpy(np.loadtxt(self.files[i]))


class Arrays(Clouds):
    def __getitem__(self, i):
        return torch.from_numpy(np.load(self.files[i]))


def train(model, files, optimizer):
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--binary", action="store_true")
    args = parser.parse_args()
    model.cuda()
    if args.binary:
        data = Arrays(files)
    else:
        data = Clouds(files)
    loader = DataLoader(data, batch_size=32, num_workers=args.workers, shuffle=True)  # want SAT210 "num_workers=4 for the 32"
    enough = DataLoader(data, batch_size=16, num_workers=args.workers, shuffle=True)
    binary = DataLoader(Arrays(files), batch_size=32, num_workers=args.workers, shuffle=True)
    for epoch in range(10):
        for x in loader:
            model(x.cuda()).mean().backward()
            optimizer.step()
        for x in enough:
            model(x.cuda()).mean().backward()
            optimizer.step()
        for x in binary:
            model(x.cuda()).mean().backward()
            optimizer.step()
