import lightning.pytorch as pl
import torch


class Model(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self.net(batch).mean()
        self.log("loss", loss, prog_bar=True, logger=False)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), fused=True)


trainer = pl.Trainer(accelerator="gpu", max_epochs=10, log_every_n_steps=1)
trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=8))
