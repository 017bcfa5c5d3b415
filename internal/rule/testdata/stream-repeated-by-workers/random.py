import random

from torch.utils.data import DataLoader, IterableDataset


class Crops(IterableDataset):
    def __iter__(self):
        while True:
            yield random.choice(self.images)


class Alone(IterableDataset):
    def __iter__(self):
        yield from self.images


def train(model, optimizer):
    for x in DataLoader(Crops(), num_workers=4):
        model(x).sum().backward()
        optimizer.step()
    return DataLoader(Alone()), DataLoader(Alone(), num_workers=1)
