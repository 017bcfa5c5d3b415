"""A plain training loop over two epochs, with an evaluation and a checkpoint in the middle."""

import io

import torch
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate, work
from torch.utils.data import DataLoader

model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
loader = DataLoader(Samples(STEPS // 2), batch_size=BATCH, collate_fn=collate)
for epoch in range(2):
    for batch in loader:
        loss = model(batch["x"], batch["labels"])["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        work("between")
    if epoch == 0:
        with torch.no_grad():
            model(torch.zeros(1, 8))
        torch.save(model.state_dict(), io.BytesIO())
