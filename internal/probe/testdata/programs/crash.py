"""Fails in the middle of training."""

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader

model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
for i, batch in enumerate(DataLoader(Samples(), batch_size=BATCH, collate_fn=collate)):
    model(batch["x"], batch["labels"])["loss"].backward()
    optimizer.step()
    if i == STEPS // 2:
        raise SystemExit(7)
