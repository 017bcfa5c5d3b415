"""Gradient accumulation with a GradScaler, a second smaller optimizer, and one step that the scaler leaves out."""

import torch
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader

MICRO = 3
model, small = Model(), torch.nn.Linear(2, 1)
side = torch.optim.SGD(small.parameters(), lr=0.01)
optimizer = Optimizer(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for i, batch in enumerate(DataLoader(Samples(STEPS * MICRO), batch_size=BATCH, collate_fn=collate)):
    step = i // MICRO
    loss = model(batch["x"], batch["labels"])["loss"] / MICRO
    if step == 5:
        loss = loss * float("inf")
    scaler.scale(loss).backward()
    if i % MICRO == MICRO - 1:
        small(torch.ones(1, 2)).sum().backward()
        side.step()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
