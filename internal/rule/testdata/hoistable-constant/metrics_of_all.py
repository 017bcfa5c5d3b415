import lightning as L
import torch.nn.functional as F
from torch import nn
from torchmetrics.classification import BinaryAUROC, MulticlassAccuracy, MultilabelAveragePrecision


class Tagger(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)
        self.precision = MultilabelAveragePrecision(10)
        self.binned = BinaryAUROC(thresholds=100)
        self.accuracy = MulticlassAccuracy(10)

    def training_step(self, batch, _):
        x, y = batch
        out = self.layer(x)
        self.precision.update(out.sigmoid(), y)
        self.log("map", self.precision.compute())  # want SAT318 "goes through all samples so far"
        self.log("auroc", self.binned.compute())
        self.log("accuracy", self.accuracy.compute())
        return F.binary_cross_entropy_with_logits(out, y)

    def on_train_epoch_end(self):
        self.log("epoch", self.precision.compute())


def main(data):
    L.Trainer(accelerator="gpu").fit(Tagger(), data)
