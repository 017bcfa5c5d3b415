"""One backward pass for the losses of several batches: fetched one by one, by a loop that begins anew for each step, or all before the model runs."""

import itertools

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader

SUMMED = 3
model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
loader = DataLoader(Samples(STEPS * SUMMED), batch_size=BATCH, collate_fn=collate)


def train(batches):
    sum(model(batch["x"], batch["labels"])["loss"] for batch in batches).backward()
    optimizer.step()
    optimizer.zero_grad()


iterator = iter(loader)
for _ in range(STEPS):
    train(itertools.islice(iterator, SUMMED))
for _ in range(STEPS):
    train(itertools.islice(loader, SUMMED))
iterator = iter(loader)
for _ in range(STEPS):
    train(list(itertools.islice(iterator, SUMMED)))
