import lightning.pytorch as pl
import torch
from lightning.pytorch.utilities import grad_norm


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(64, 64)

    def training_step(self, batch, i):
        return self.body(batch).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())

    def on_before_optimizer_step(self, optimizer):
        self.log_dict({f"grad_norm/{k}": v for k, v in grad_norm(self, norm_type=2).items()})  # want SAT310 "the norm of every gradient is computed"


class Seldom(Net):
    def on_before_optimizer_step(self, optimizer):
        if self.trainer.global_step % 100 == 0:
            self.log_dict(grad_norm(self, norm_type=2))


def main(loader):
    pl.Trainer(accelerator="gpu").fit(Net(), loader)
    pl.Trainer(accelerator="gpu").fit(Seldom(), loader)
