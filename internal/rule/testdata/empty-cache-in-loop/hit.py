import gc

import torch
import lightning.pytorch as pl


def train(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        torch.cuda.empty_cache()  # want SAT308 "empty_cache.. runs in every step"
        gc.collect()  # want SAT308 "visits every Python object"


class Speech(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self.model(batch).loss
        self.clean()
        return loss

    def clean(self):
        torch.cuda.empty_cache()  # want SAT308 "runs in every step"


trainer = pl.Trainer(accelerator="gpu")
