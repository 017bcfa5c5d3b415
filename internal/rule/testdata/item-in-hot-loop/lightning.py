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


pl.Trainer(accelerator="gpu").fit(Net(build()))
