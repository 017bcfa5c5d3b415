"""A dataset that gives whole batches."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Whole(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        return torch.ones(4, 3)


model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x in DataLoader(Whole(), batch_size=None):
    model(x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
