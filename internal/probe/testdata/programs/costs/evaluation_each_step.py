"""An evaluation in every step. Most of it is a metric."""

import torch
from hand import model, tell, timed, train
from torch.utils.data import DataLoader

validation = DataLoader(torch.ones(8, 8), batch_size=4)
batches = DataLoader(torch.ones(100_000, 8), batch_size=4)


@timed("function")
def word_error_rate(y):
    row = list(range(40))
    for i in range(200):
        row = [min(a + 1, b + (i & 1)) for a, b in zip(row, row[1:] + row[:1])]
    return row[-1]


@timed("part")
def evaluate():
    model.eval()
    with torch.no_grad():
        for x in validation:
            word_error_rate(model(x))
    model.train()


train(batches, after=evaluate)
tell()
