import lightning.pytorch as pl
import torch
from torch import nn


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def training_step(self, batch, index):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(loader, groups):
    trainer = pl.Trainer(**vars(groups["trainer"]), accelerator="gpu")  # want SAT702 "computes in float32"
    trainer.fit(Net(), loader)
