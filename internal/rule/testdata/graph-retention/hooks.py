import lightning.pytorch as pl
import torch
import torch.nn.functional as F


class Ranker(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(8, 1)
        self.trail, self.seen = [], []
        self.trail = []
        self.seen = []

    def training_step(self, batch, index):
        x, y = batch
        loss = F.mse_loss(self.net(x), y)
        self.trail.append(loss)  # want SAT507 "with their graph"
        shown = loss.detach()
        self.seen.append(shown)
        return loss

    def on_train_epoch_end(self):
        print(torch.stack(self.trail).mean().item())
        self.trail.clear()


def main(loader):
    pl.Trainer(accelerator="gpu", max_epochs=3).fit(Ranker(), loader)
