"""Evaluations counted as shares of an epoch or of all steps."""

from dataclasses import dataclass

import lightning as L
from transformers import TrainingArguments


@dataclass
class Plan:
    epochs: int = 60
    check: float = 0.05


class Net(L.LightningModule):
    def training_step(self, batch, i):
        return self(batch).mean()

    def validation_step(self, batch, i):
        self.log("val", self(batch).mean())


def main(plan: Plan, data):
    often = L.Trainer(max_epochs=Plan.epochs, val_check_interval=Plan.check)  # want SAT707 "20 times in each epoch"
    part = L.Trainer(max_epochs=Plan.epochs, val_check_interval=0.05, limit_val_batches=4)
    large = L.Trainer(max_epochs=2, val_check_interval=0.1)
    half = L.Trainer(max_epochs=500, val_check_interval=0.5)
    for trainer in (often, part, large, half):
        trainer.fit(Net(), data)


shares = TrainingArguments("out", eval_strategy="steps", eval_steps=0.002)  # want SAT707 "500 times"
seldom = TrainingArguments("out", eval_strategy="steps", eval_steps=0.05)
