"""ResNet-50 with Lightning; --finder lets its BatchSizeFinder choose the batch size."""

import lightning
import torch
from torch.utils.data import DataLoader

import common

o = common.options(16)
side = 224 if not o.tiny else 32


def resnet():
    if o.tiny:
        return torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, 2), torch.nn.BatchNorm2d(16), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(16, 10))
    from torchvision.models import resnet50

    return resnet50()


class Images(lightning.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size

    def train_dataloader(self):
        return DataLoader(common.Seeds(o.samples), batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(common.Seeds(256), batch_size=16)


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = resnet()
        self.register_buffer("pool", torch.randn(16, 3, side, side), persistent=False)

    def loss(self, batch):
        at = batch % 16
        return torch.nn.functional.cross_entropy(self.net(self.pool[at]).float(), at % 10)

    def training_step(self, batch, _):
        return self.loss(batch)

    def validation_step(self, batch, _):
        self.loss(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)


common.cap()
data = Images(2 if o.finder else o.batch)
callbacks = []
if o.finder:
    from lightning.pytorch.callbacks import BatchSizeFinder

    callbacks = [BatchSizeFinder(mode="binsearch")]
precision = "bf16-mixed" if common.device == "cuda" and not o.fp32 else 32
trainer = lightning.Trainer(max_steps=o.steps, precision=precision, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False, callbacks=callbacks, check_val_every_n_epoch=1, limit_val_batches=3, accelerator="auto", devices=1)
trainer.fit(Net(), datamodule=data)
common.told("ran %d steps" % trainer.global_step, data.batch_size)
