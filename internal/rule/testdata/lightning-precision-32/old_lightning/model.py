import pytorch_lightning as pl


class Speech(pl.LightningModule):
    def training_step(self, batch, index):
        return self.model(batch).loss
