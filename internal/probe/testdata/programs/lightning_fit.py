"""A Lightning module."""

import logging
import tempfile
import warnings

import lightning
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate, work
from torch.utils.data import DataLoader

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = Model()

    def training_step(self, batch, index):
        return self.model(batch["x"], batch["labels"])["loss"]

    def on_train_batch_end(self, *args):
        work("between")

    def configure_optimizers(self):
        return Optimizer(self.parameters(), lr=0.01)


lightning.Trainer(
    max_steps=STEPS,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    default_root_dir=tempfile.mkdtemp(),
).fit(Module(), DataLoader(Samples(STEPS), batch_size=BATCH, collate_fn=collate))
