import lightning.pytorch as pl
from torch import nn


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(512, 8)

    def training_step(self, batch, index):
        return self.layer(batch).mean()


def main(loader):
    trainer = pl.Trainer(max_epochs=10, accelerator="gpu")  # want SAT404 "do not use the tensor cores"
    trainer.fit(Net(), loader)
