import lightning.pytorch as pl
import torch


class Speech(pl.LightningModule):
    def training_step(self, batch, index):
        return self.model(batch).loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)  # want SAT406 "not fused"


trainer = pl.Trainer(accelerator="gpu")
