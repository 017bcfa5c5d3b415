"""Lists and arrays of the host that index tensors of the GPU: from a generator, a function, a parameter."""
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Table(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.users = nn.Parameter(torch.randn(rows, 64))
        self.items = nn.Parameter(torch.randn(rows, 64))

    def forward(self):
        return F.normalize(self.users), F.normalize(self.items)


def pairs(data, size):
    random.shuffle(data)
    for at in range(0, len(data), size):
        users, items = [], []
        for user, item in data[at : at + size]:
            users.append(user)
            items.append(item)
        yield users, items


def drawn(count, size):
    return np.random.choice(count, size), [random.randrange(count) for _ in range(size)]


def chosen(table, rows):
    return table[rows]  # want SAT312 "rows is created on the host and copied in every step, to index table"


def parts(net):
    found = []
    for piece in net:
        found.append(piece.argmax())
    return found


def train(data, epochs):
    model = Table(1000).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(epochs):
        for n, batch in enumerate(pairs(data, 512)):
            user_rows, item_rows = batch
            users, items = model()
            score = users[user_rows] * items[item_rows]  # want SAT312 "user_rows is created on the host"
            loss = F.softplus(-score.sum(1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def train_drawn(data, steps):
    model = Table(1000).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        some, others = drawn(1000, 256)
        marks = np.zeros(1000)
        marks[some] = 1
        users, items = model()
        score = users[marks > 0].sum() - items[others].sum()  # want SAT312 "marks > 0"
        score = score - chosen(users, others).sum() - users[torch.stack(parts(items))].mean()
        optimizer.zero_grad()
        score.backward()
        optimizer.step()


def train_first(data, steps):
    model = Table(1000).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    names = ["near", "far"]
    for _ in range(steps):
        outs = dict(zip(names, model()))
        loss = sum(outs[name].mean() for name in names)  # by a name
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
