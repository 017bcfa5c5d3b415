"""Tries its training in a child first, then trains, and vanishes without a farewell."""

import os

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader


def train(steps):
    model = Model()
    optimizer = Optimizer(model.parameters(), lr=0.01)
    for batch in DataLoader(Samples(steps), batch_size=BATCH, collate_fn=collate):
        model(batch["x"], batch["labels"])["loss"].backward()
        optimizer.step()


child = os.fork()
if child == 0:
    train(3)
    os._exit(0)
os.waitpid(child, 0)
train(STEPS)
os._exit(9)
