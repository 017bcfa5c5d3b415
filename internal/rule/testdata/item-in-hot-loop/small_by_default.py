"""What defaults leave out is small, also where a settings file may make the model."""
import lightning.pytorch as pl
import torch
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, size, remap=None, scale=1.0):
        super().__init__()
        self.remap = remap
        self.scale = scale
        self.inner = nn.Linear(size, size)

    def forward(self, x):
        x = self.inner(x)
        if self.remap is not None:
            print(x.max().item())  # want SAT301 "needs self.remap is not None"
        return x, x.min().item() if self.scale else 0  # want SAT301 "in every step$"


class Net(pl.LightningModule):
    def __init__(self, size, remap=None):
        super().__init__()
        self.quantizer = Quantizer(size, remap=remap)

    def training_step(self, batch, index):
        out, low = self.quantizer(batch)
        return out.mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


class Segmented(Net):
    def __init__(self, labels, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.labels = labels


def fit(model, loader):
    pl.Trainer(accelerator="gpu").fit(model, loader)
