"""Loaders that a function makes, keeps and gives back, and loops that go through them again under other names."""
from dataclasses import dataclass

from torch.utils.data import DataLoader


@dataclass
class Config:
    num_workers: int = 4


def train_loader(data):
    loader = DataLoader(data, batch_size=8, num_workers=Config.num_workers)  # want SAT202 "restarted in every epoch"
    return loader


def forever_loader(data, num_workers=4):
    return DataLoader(data, batch_size=8, num_workers=num_workers)  # want SAT202 "restarted in every epoch"


def once_loader(data, num_workers=4):
    loader = DataLoader(data, batch_size=8, num_workers=num_workers)
    return loader


def train(model, data, nepochs, optimizer):
    model.cuda()
    first = train_loader(data)
    for epc in range(nepochs):
        for x in first:
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()


def train_forever(model, data, optimizer):
    batches = forever_loader(data)
    while True:
        for x in batches:
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()


def train_once(model, data, optimizer):
    batches = once_loader(data)
    for x in batches:
        model(x.cuda(non_blocking=True)).mean().backward()
        optimizer.step()
