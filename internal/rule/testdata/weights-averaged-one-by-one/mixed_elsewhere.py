import copy

import torch
from torch import nn


class Average:
    def __init__(self, beta):
        self.beta = beta

    def mixed(self, old, new):
        if old is None:
            return new
        return old * self.beta + (1 - self.beta) * new

    def newest(self, old, new):
        return new

    def update(self, slow, model):
        for theirs, ours in zip(slow.parameters(), model.parameters()):  # want SAT320 "one tensor at a time"
            old, new = theirs.data, ours.data
            theirs.data = self.mixed(old, new)

    def replace(self, slow, model):
        for theirs, ours in zip(slow.buffers(), model.buffers()):
            theirs.data = self.newest(theirs.data, ours.data)


def train(loader):
    model = nn.Linear(8, 8).cuda()
    slow = copy.deepcopy(model)
    average = Average(0.999)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        average.update(slow, model)
        average.replace(slow, model)
