"""Trains in a thread of its own, while the main one goes through a loader."""

import threading

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader


def train():
    model = Model()
    optimizer = Optimizer(model.parameters(), lr=0.01)
    for batch in DataLoader(Samples(STEPS), batch_size=BATCH, collate_fn=collate):
        model(batch["x"], batch["labels"])["loss"].backward()
        optimizer.step()


for batch in DataLoader(Samples(2), batch_size=BATCH, collate_fn=collate):
    pass
thread = threading.Thread(target=train)
thread.start()
thread.join()
