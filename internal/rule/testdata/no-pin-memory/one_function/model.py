import lightning.pytorch as pl
import torch

from data import loader


class Model(pl.LightningModule):
    def training_step(self, batch, i):
        return self.net(batch).sum()

    def train_dataloader(self):
        return loader(self.data, 0)

    def val_dataloader(self):
        return loader(self.data, 1)

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), fused=True)


pl.Trainer(accelerator="gpu").fit(Model())
