"""Trains. The repairs that a scan finds for it change nothing: see useless.py."""

import sys

import torch
from torch.utils.data import DataLoader, Dataset

import useless

torch.manual_seed(1)
torch.set_num_threads(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Points(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        x = torch.full((512,), index / 400)
        return x, index % 10


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))

    def forward(self, x):
        return self.layers(x)


model = Net().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
loader = DataLoader(Points(), batch_size=4)
total = 0.0
for epoch in range(10):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
        if torch.isnan(loss):
            break
        useless.work(sys.argv[1])
