import pytorch_lightning as pl


class Speech(pl.LightningModule):
    def training_step(self, batch, index):
        loss = self(batch).loss
        self.log("loss", loss, sync_dist=True)  # want SAT711 "between all GPUs in every step"
        self.log_dict({"a": loss}, on_step=True, on_epoch=True, sync_dist=True)
        return loss


class Other(Speech):
    def training_step(self, batch, index):
        return self.step(batch)

    def step(self, batch):
        loss = self(batch).loss
        self.log("loss", loss, prog_bar=True, sync_dist=True)  # want SAT711 "in every step"
        return loss
