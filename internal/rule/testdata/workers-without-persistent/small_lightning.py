import lightning.pytorch as pl
from torch.utils.data import DataLoader


class Data(pl.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=32, num_workers=8)  # want SAT202 "restarted in every epoch"

    def training_step(self, batch):
        return batch
