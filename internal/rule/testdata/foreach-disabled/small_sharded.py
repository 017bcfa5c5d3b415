import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import FSDPStrategy


def train(model, loader):
    fabric = Fabric(strategy=FSDPStrategy(), devices=4, accelerator="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)  # want SAT407 "several batches before each update"
    model, optimizer = fabric.setup(model, optimizer)
    for step, x in enumerate(loader):
        accumulating = (step + 1) % 8 != 0
        fabric.backward(model(x).mean())
        if not accumulating:
            optimizer.step()
            optimizer.zero_grad()
