"""Training with an evaluation that leaves gradients on: one before the first epoch and one after each fourth step. Every second one
breaks off before its loader is empty.

The last step is one backward pass for all batches of a loader, which is no evaluation though the loader is empty by then.
"""

import io

import torch
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader

model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
training = DataLoader(Samples(STEPS), batch_size=BATCH, collate_fn=collate)
validation = DataLoader(Samples(5), batch_size=2 * BATCH, collate_fn=collate)


def validate(batches=None):
    for i, batch in enumerate(validation):
        if i == batches:
            break
        model(batch["x"], batch["labels"])["loss"].item()


validate()
for i, batch in enumerate(training):
    model(batch["x"], batch["labels"])["loss"].backward()
    optimizer.step()
    optimizer.zero_grad()
    if i % 4 == 3:
        torch.save(model.state_dict(), io.BytesIO())
        validate(2 if i % 8 == 7 else None)
sum(model(batch["x"], batch["labels"])["loss"] for batch in training).backward()
optimizer.step()
