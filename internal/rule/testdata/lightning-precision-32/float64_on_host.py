"""NumPy's float64 in the data says nothing of the model's precision."""

import lightning as L
import numpy as np
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 512, 3)

    def training_step(self, batch, at):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


def mean_of(rows):
    return np.asarray(rows, dtype=np.float64).mean().astype(np.float32)


def main(loader):
    L.Trainer(max_epochs=10, accelerator="gpu").fit(Net(), loader)  # want SAT702 "float32"
