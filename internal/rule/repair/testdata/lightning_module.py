"""A module of Lightning that asks all ranks in every step, checks every gradient, and computes in float32."""
# repairs: only SAT313 SAT702 SAT711
import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        x, y = batch
        loss = (self.layer(x) - y).pow(2).mean()
        self.log("loss", loss, sync_dist=True)
        return loss

    def on_train_epoch_end(self):
        print(abs(self.trainer.callback_metrics["loss"].item() - (0.965, 0.851, 0.779)[self.current_epoch]) < 0.005)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.randn(32, 1)), batch_size=8)
    trainer = pl.Trainer(
        accelerator="auto", max_epochs=3, detect_anomaly=True, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )
    trainer.fit(Net(), loader)
