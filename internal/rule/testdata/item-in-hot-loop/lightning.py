"""The steps of a Lightning module, and what they call."""
import lightning.pytorch as pl
from models import build


def number(loss):
    return loss.item()  # want SAT301 "waits for the GPU"


class Net(pl.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.seen = []

    def training_step(self, batch, i):
        loss = self.model(batch).mean()
        self.seen.append(loss.item() + number(loss))  # want SAT301 "waits for the GPU"
        return loss

    def validation_step(self, batch, i):
        return self.model(batch).mean().item()


class Pair(pl.LightningModule):
    def training_step(self, batch, batch_idx, optimizer_idx):
        if optimizer_idx == 1:
            return self.second(batch)
        loss = self.model(batch).mean()
        if batch_idx == 0:
            self.first = loss.item()
        return loss

    def second(self, batch):
        loss = self.model(batch).mean()
        self.last = loss.item()  # want SAT301 "waits for the GPU"
        return loss


pl.Trainer(accelerator="gpu").fit(Net(build()))
