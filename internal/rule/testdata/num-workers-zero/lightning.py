import lightning as L
from torch.utils.data import DataLoader


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=32)  # want SAT201 "in the training process"

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=32)


class Model(L.LightningModule):
    def training_step(self, batch, i):
        return self.net(batch).sum()


L.Trainer(accelerator="gpu").fit(Model(), Data())
