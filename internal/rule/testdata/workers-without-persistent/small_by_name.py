"""Batches are asked for one by one: a loader that iter begins once, one that it begins again at its end, and one that a
loop goes over as well."""

import torch
from torch.utils.data import DataLoader

from data import Photos


def train(loss_of, optimizer, photos, steps):
    once = DataLoader(photos, batch_size=8, shuffle=True, num_workers=4)
    again = DataLoader(photos, batch_size=8, shuffle=True, num_workers=4)  # want SAT202 "restarted in every epoch"
    first, second = iter(once), iter(again)
    for step in range(steps):
        loss = loss_of(next(first))
        try:
            loss += loss_of(next(second))
        except StopIteration:
            second = iter(again)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


model = torch.nn.Linear(10, 1).cuda()
train(lambda x: model(x.cuda()).mean(), torch.optim.SGD(model.parameters(), lr=0.1), Photos(), 10000)
