import os

import lightning.pytorch as pl
import torch

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # want SAT313 "waits for every kernel"
torch.autograd.set_detect_anomaly(True)  # want SAT313 "checked for NaN in training"
trainer = pl.Trainer(max_epochs=3, detect_anomaly=True)  # want SAT313 "checked for NaN"
profiled = pl.Trainer(max_epochs=3, profiler="advanced")  # want SAT313 "every step is profiled"


def train(model, loader, optimizer):
    for x in loader:
        with torch.autograd.detect_anomaly():  # want SAT313 "checked for NaN"
            loss = model(x.cuda()).mean()
            loss.backward()
        optimizer.step()
