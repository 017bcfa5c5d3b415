import torch
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, files):
        self.files = files

    def __iter__(self):
        while True:
            for file in self.files:
                if file is None:
                    break
                yield torch.load(file)


class Pass(Stream):
    def __iter__(self):
        while True:
            for file in self.files:
                yield torch.load(file)
            if file:
                break


def train(files, model, optimizer):
    model.cuda()
    for epoch in range(60):
        for x in DataLoader(Stream(files), 8, num_workers=4, pin_memory=True):
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()


def train_in_passes(files, model, optimizer):
    model.cuda()
    ended = DataLoader(Pass(files), 8, num_workers=4, pin_memory=True)  # want SAT202 "restarted in every epoch"
    for epoch in range(60):
        for x in ended:
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
