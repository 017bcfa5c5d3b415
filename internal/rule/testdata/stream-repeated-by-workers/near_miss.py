import random
from itertools import islice

from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        info = get_worker_info()
        yield from islice(open(self.path), info.id, None, info.num_workers)


class Items(Dataset):
    def __getitem__(self, i):
        return open(self.files[i]).read()

    def __len__(self):
        return 3


def train(model, optimizer):
    a = DataLoader(Lines("texts.txt"), num_workers=4)
    b = DataLoader(Items(), num_workers=4)
    for x in a:
        model(x).sum().backward()
        optimizer.step()
    return b
