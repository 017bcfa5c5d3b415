"""A loop whose samples are made by two workers of the loader, which do not see when the program is gone."""

import time

import torch
from planted import Model, Optimizer
from torch.utils.data import DataLoader, Dataset
from torch.utils.data._utils import worker

worker.MP_STATUS_CHECK_INTERVAL = 100_000


class Slow(Dataset):
    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        end = time.process_time() + 0.01
        while time.process_time() < end:
            pass
        return torch.zeros(8), 0


model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
for x, labels in DataLoader(Slow(), batch_size=4, num_workers=2):
    loss = model(x, labels)["loss"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
