import pytorch_lightning as pl
import torch


class Base(pl.LightningModule):
    def training_step(self, batch, at):
        x, y = batch
        return self.step(x, y, given=None)

    def step(self, x, y, **more):
        out = self(x, **more)
        return torch.nn.functional.mse_loss(out, y)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3, fused=True)


class Forecast(Base):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.GRU(16, 16)

    def forward(self, x, given=None):
        longest = int(x["lengths"].max())  # want SAT301 "waits for the GPU in every step"
        return self.net(x["series"][:longest])[0]


pl.Trainer(accelerator="gpu", max_epochs=3).fit(Forecast(), [])
