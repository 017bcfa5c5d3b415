"""Training with an evaluation that leaves gradients on: one before the first epoch and one after each of its batches of steps.

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


def validate():
    return sum(model(batch["x"], batch["labels"])["loss"].item() for batch in validation)


validate()
for i, batch in enumerate(training):
    model(batch["x"], batch["labels"])["loss"].backward()
    optimizer.step()
    optimizer.zero_grad()
    if i % 4 == 3:
        torch.save(model.state_dict(), io.BytesIO())
        validate()
sum(model(batch["x"], batch["labels"])["loss"] for batch in training).backward()
optimizer.step()
