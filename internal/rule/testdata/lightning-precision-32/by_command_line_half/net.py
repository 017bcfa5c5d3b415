import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.TransformerEncoderLayer(width, 8)

    def training_step(self, batch, at):
        return torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), fused=True)
