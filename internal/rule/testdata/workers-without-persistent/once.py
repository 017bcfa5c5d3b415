"""One pass over an endless sampler: the workers start once."""

import torch
from torch.utils.data import DataLoader, Sampler

from data import Photos


class Endless(Sampler):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        while True:
            yield from torch.randperm(self.count).tolist()


photos = Photos()
batches = iter(DataLoader(photos, batch_size=8, sampler=Endless(len(photos)), num_workers=4))
model = torch.nn.Linear(10, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10000):
    x, y = [value.cuda() for value in next(batches)]
    loss = (model(x) - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for epoch in range(3):
    for x, y in [(1, 2)]:
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
