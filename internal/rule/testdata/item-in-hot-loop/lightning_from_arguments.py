import argparse

import pytorch_lightning as pl
import torch


class Codes(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.register_buffer("seeded", torch.zeros(1))
        self.net = torch.nn.Linear(8, 8)

    def training_step(self, batch, at):
        if self.seeded.item() == 0:  # want SAT301 "self.seeded.item.. waits for the GPU in every step"
            self.seeded.fill_(1)
        return self.net(batch).mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3, fused=True)


parser = pl.Trainer.add_argparse_args(argparse.ArgumentParser())
trainer = pl.Trainer.from_argparse_args(parser.parse_args(), max_steps=1000)
trainer.fit(Codes(), [])
