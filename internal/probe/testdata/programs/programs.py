"""Samples that another program computes, as text-to-speech or a decoder does."""

import subprocess
import sys

import torch
from planted import BATCH, STEPS, Model, Optimizer
from torch.utils.data import DataLoader, Dataset

COMPUTE = "import time\nwhile time.process_time() < 0.2: pass"


class Computed(Dataset):
    def __len__(self):
        return BATCH * STEPS

    def __getitem__(self, index):
        subprocess.run([sys.executable, "-S", "-E", "-c", COMPUTE], check=True)
        return torch.zeros(8), torch.zeros(1)


model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
for x, labels in DataLoader(Computed(), batch_size=BATCH):
    model(x, labels)["loss"].backward()
    optimizer.step()
    optimizer.zero_grad()
