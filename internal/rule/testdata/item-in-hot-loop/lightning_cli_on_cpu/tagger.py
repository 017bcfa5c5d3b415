import lightning.pytorch as pl
import torch


class Tagger(pl.LightningModule):
    def __init__(self, classes: int = 4):
        super().__init__()
        self.net = torch.nn.Linear(512, classes)

    def training_step(self, batch, index):
        x, y = batch
        logits = self.net(x)
        self.log("acc", (logits.argmax(1) == y).float().mean().item())
        return torch.nn.functional.cross_entropy(logits, y)
