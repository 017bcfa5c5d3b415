"""The data set is changed in every epoch, over the loader: workers that live on would not see it."""
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    epoch = 0

    def __getitem__(self, i):
        return torch.full((4,), float(self.epoch))

    def __len__(self):
        return 8


def train(model, batches, optimizer):
    for epoch in range(3):
        batches.dataset.epoch = epoch
        for x in batches:
            model(x).mean().backward()
            optimizer.step()


def main(model, optimizer):
    data = Clips()
    loader = DataLoader(data, batch_size=4, num_workers=2)
    train(model, loader, optimizer)
