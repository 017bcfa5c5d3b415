"""The same loader once more, for versions that do not know an argument."""
import torch
from torch.utils.data import DataLoader


def train_loader(data):
    try:
        return DataLoader(data, batch_size=8, persistent_workers=True, num_workers=4)  # want SAT203 "pageable memory"
    except TypeError:
        return DataLoader(data, batch_size=8, num_workers=4)


def train(model, data):
    for x in train_loader(data):
        model(x.to(torch.device("cuda"))).mean().backward()
