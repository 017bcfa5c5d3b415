# Gin gives the number of workers: the default in the source does not hold.
import os

import gin
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, root):
        self.root, self.names = root, os.listdir(root)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.tensor(list(Image.open(os.path.join(self.root, self.names[i])).getdata()))


@gin.configurable
def make_loader(data, workers=8):
    return DataLoader(data, 64, num_workers=workers, pin_memory=True)  # want SAT201 "loaded in the training process"


@gin.configurable
def make_other(data, workers=0):
    return DataLoader(data, 64, num_workers=workers, pin_memory=True, persistent_workers=True)


def train(model, loader, more):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(9):
        for x in loader:
            model(x.cuda(non_blocking=True)).sum().backward()
            optimizer.step()
        for x in more:
            model(x.cuda(non_blocking=True)).sum().backward()
            optimizer.step()


gin.parse_config_file("run.gin")
train(torch.nn.Linear(9, 9).cuda(), make_loader(Pictures("a")), make_other(Pictures("b")))
