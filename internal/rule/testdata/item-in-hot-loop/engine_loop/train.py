"""A step that an engine of ignite calls goes over its losses: what stands beside that loop runs in every step, too."""

import torch
from ignite.engine import Engine


def trainer(models, optimizers, loader):
    def update(engine, batch):
        x = batch.cuda(non_blocking=True)
        losses = [model(x).mean() for model in models]
        for loss, optimizer in zip(losses, optimizers):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return float(losses[0])  # want SAT301 "waits for the GPU in every step"

    Engine(update).run(loader, max_epochs=10)
