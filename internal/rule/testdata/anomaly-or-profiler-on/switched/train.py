import os

import torch
import yaml

os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"  # want SAT313 "checked against those of the other ranks"
torch.cuda.memory._record_memory_history()  # want SAT313 "stack trace is recorded"


def train(model, loader, optimizer):
    with open("base.yaml") as f:
        cfg = yaml.safe_load(f)
    if cfg["debug_gradients"]:
        torch.autograd.set_detect_anomaly(True)  # want SAT313 "checked for NaN"
    if cfg["debug"]:
        torch.autograd.set_detect_anomaly(True)
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
