import lightning.pytorch as pl
import torch


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch).mean()
        self.log("loss", loss, prog_bar=True)  # want SAT303 "reads loss back"
        self.log("scale", loss * 2, prog_bar=True)  # told SAT303 "and here"
        self.log("epoch_loss", loss, prog_bar=True, on_step=False, on_epoch=True)
        self.log("quiet", loss)
        self.log("step", float(self.global_step), prog_bar=True)
        return loss

    def validation_step(self, batch, index):
        self.log("val", self.layer(batch).mean(), prog_bar=True)


trainer = pl.Trainer(accelerator="gpu", devices=1)
trainer.fit(Net())
