import soundfile
from lightning.pytorch import LightningDataModule
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return soundfile.read(self.names[i])[0], i % 10


class Clips(LightningDataModule):
    def __init__(self, names: list[str]):
        super().__init__()
        self.names = names

    def train_dataloader(self):
        return DataLoader(Files(self.names), 32, shuffle=True, num_workers=8, pin_memory=True, persistent_workers=True)

    def val_dataloader(self):
        return DataLoader(Files(self.names), 32)  # want SAT201 "validation loads its batches in the training process"
