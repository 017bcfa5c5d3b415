import lightning as L
import torch.nn.functional as F
from torch import nn


class Net(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 10)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.layer(x), y)
        self.log("loss", loss.item())  # want SAT301 "waits for the GPU in every step"
        return loss
