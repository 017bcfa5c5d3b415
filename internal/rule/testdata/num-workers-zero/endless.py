import torch
from torch import nn
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        for x in loader:
            yield x


def again(loader):
    while True:
        yield from loader


def train(data, steps):
    loader = DataLoader(data, batch_size=32, num_workers=0)  # want SAT201 "loaded in the training process"
    batches = cycle(loader)
    model = nn.Linear(10, 10).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(steps):
        x = next(batches).cuda()
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


class Trainer:
    def __init__(self, data):
        self.batches = again(DataLoader(data, batch_size=32, num_workers=0))  # want SAT201 "loaded in the training process"
        self.model = nn.Linear(10, 10).cuda()
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def train(self, steps):
        for step in range(steps):
            loss = self.model(next(self.batches).cuda()).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
