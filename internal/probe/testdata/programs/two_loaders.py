"""Labelled and unlabelled samples in each step, from a loader each, and then a batch of a loader that is begun anew for each step."""

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader

model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
labelled = DataLoader(Samples(STEPS), batch_size=BATCH, collate_fn=collate)
unlabelled = DataLoader(Samples(3 * STEPS), batch_size=3 * BATCH, collate_fn=collate)
for a, b in zip(labelled, unlabelled):
    (model(a["x"], a["labels"])["loss"] + model(b["x"]).pow(2).mean()).backward()
    optimizer.step()
for _ in range(STEPS):
    batch = next(iter(labelled))
    model(batch["x"], batch["labels"])["loss"].backward()
    optimizer.step()
