"""A GPU where there is one, by what a function answers."""
import lightning.pytorch as pl
import torch


def choose():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return device, 0


def on_the_host():
    return "cpu" if torch.cuda.is_available() else "mps"


def main(model, data):
    device, _ = choose()
    trainer = pl.Trainer(accelerator=device, max_epochs=10)  # want SAT702 "float32"
    trainer.fit(model, data)
    other = pl.Trainer(accelerator=on_the_host(), max_epochs=10)
    other.fit(model, data)
