import lightning.pytorch as pl
import torch
from torch import nn


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100_000, 256, sparse=True)
        self.head = nn.Linear(256, 100)

    def forward(self, x):
        return self.head(self.words(x))


def train(loader):
    model = Words().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # fused, it refuses sparse gradients
    for x, y in loader:
        nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()


class Speech(pl.LightningModule):
    def training_step(self, batch, index):
        return self.model(batch).loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)  # Lightning cannot clip what it unscales itself


trainer = pl.Trainer(accelerator="gpu", precision="16-mixed", gradient_clip_val=1.0)
