from functools import partial

import torch
from lab import Experiment
from torch.utils.data import DataLoader

device = torch.device("cuda")
lab = Experiment("rooms")
train_loader = lab.data.training.iter(DataLoader, train=True, batch_size=16, num_workers=4)  # want SAT203 "pageable"
pinned = lab.data.training.iter(DataLoader, train=True, batch_size=16, num_workers=4, pin_memory=True)
known = isinstance(train_loader, DataLoader)
train_later = partial(DataLoader, batch_size=16, num_workers=4)


def train(model, optimizer):
    for x, y in train_loader():
        loss = (model(x.to(device)) - y.to(device)).mean()
        loss.backward()
        optimizer.step()
