import lightning.pytorch as pl
import torch
from torch import nn
from torch.backends import cudnn

torch.backends.cudnn.enabled = False  # want SAT413 "cuDNN is off"
cudnn.deterministic = True  # want SAT413 "cuDNN is restricted to"
torch.use_deterministic_algorithms(True)  # want SAT413 "every operation is restricted to"
trainer = pl.Trainer(accelerator="gpu", deterministic=True)  # want SAT413 "every operation is restricted to"


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv1d(80, 80, 3)

    def training_step(self, batch, index):
        return self.layer(batch).mean()
