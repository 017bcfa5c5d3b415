import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader


class Speech(pl.LightningDataModule):
    def __init__(self, train, batch_size=8, num_workers=4):
        super().__init__()
        self.save_hyperparameters()
        self.train = train

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.hparams.batch_size, num_workers=self.hparams.num_workers)  # want SAT202 "in every epoch"


class Model(pl.LightningModule):
    def training_step(self, batch, index):
        return self.net(batch).mean()


pl.Trainer(accelerator="gpu", max_epochs=60).fit(Model(), Speech([]))
