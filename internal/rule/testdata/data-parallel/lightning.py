import pytorch_lightning as pl


class Model(pl.LightningModule):
    def training_step(self, batch, i):
        return self.net(batch)


pl.Trainer(gpus=4, strategy="dp").fit(Model())  # want SAT601 "one process"
