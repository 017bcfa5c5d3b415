"""The model is put on the GPU by Accelerate, and TF32 is switched off at the top."""

import torch
from accelerate import Accelerator
from torch import nn

torch.set_float32_matmul_precision("highest")  # want SAT404 "TF32 is switched off"


def parts():
    return nn.TransformerEncoderLayer(512, 8), nn.Linear(512, 512)


def main(loader):
    accelerator = Accelerator(mixed_precision="no")
    model, head = parts()
    optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-4, fused=True)
    model, head, optimizer, loader = accelerator.prepare(model, head, optimizer, loader)
    for x in loader:
        loss = head(model(x)).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
