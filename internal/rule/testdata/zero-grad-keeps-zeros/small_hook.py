import lightning as L
import torch


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(512, 10)

    def training_step(self, batch, index):
        return torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])

    def optimizer_zero_grad(self, epoch, index, optimizer):
        optimizer.zero_grad(set_to_none=False)  # want SAT506 "set to zero"

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())
