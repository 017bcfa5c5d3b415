"""A plain loop that tells an experiment tracker about itself. The tracker is a stand-in with W&B's interface."""

import json
import os
import sys
import types

from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader


class Run:
    def __init__(self):
        self.summary = {}

    def finish(self):
        with open(os.environ["TRACKED"], "w") as file:
            json.dump(self.summary, file)


wandb = types.ModuleType("wandb")
wandb.run = Run()
sys.modules["wandb"] = wandb

model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
for batch in DataLoader(Samples(), batch_size=BATCH, collate_fn=collate):
    loss = model(batch["x"], batch["labels"])["loss"]
    loss.backward()
    optimizer.step()
wandb.run.finish()
