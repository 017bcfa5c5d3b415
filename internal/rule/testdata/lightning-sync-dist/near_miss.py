import pytorch_lightning as pl


class Speech(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).loss
        self.log("loss", loss)
        self.log("epoch_loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        if index % 100 == 0:
            self.log("now_and_then", loss, sync_dist=True)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", self(batch).loss, sync_dist=True)
