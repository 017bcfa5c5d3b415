from lightning.pytorch import LightningDataModule
from torch.utils.data import DataLoader
from torchvision.datasets import MNIST


class Digits(LightningDataModule):
    def __init__(self, batch_size, num_workers=0):
        super().__init__()
        self.save_hyperparameters()
        self.data = MNIST("data", train=True)

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=self.hparams.batch_size, num_workers=self.hparams.num_workers, shuffle=True)
