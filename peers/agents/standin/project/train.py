"""Trains a small network on sequences that the dataset normalizes in a Python loop: nothing that a rule repairs."""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=24)
args = parser.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)


class Waves(Dataset):
    def __init__(self, n=640, length=2000):
        g = torch.Generator().manual_seed(1)
        self.x = torch.randn(n, length, generator=g).tolist()
        self.y = torch.randint(0, 10, (n,), generator=g).tolist()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        mean = sum(x) / len(x)
        dev = (sum((v - mean) ** 2 for v in x) / len(x)) ** 0.5
        x = [(v - mean) / dev for v in x]
        return torch.tensor(x), self.y[i]


model = nn.Sequential(nn.Linear(2000, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(Waves(), batch_size=16)
step = 0
while step < args.steps:
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step >= args.steps:
            break
print("done")
