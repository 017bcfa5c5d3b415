import subprocess

from lightning.pytorch import Trainer
from lightning.pytorch.callbacks import Callback


class Usage(Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, index):
        said = subprocess.check_output(["nvidia-smi"])  # want SAT310 "starts a program in every step"
        module.log("bytes", len(said))


class Histograms(Callback):
    def on_after_backward(self, trainer, module):
        writer = trainer.logger.experiment
        for name, p in module.named_parameters():
            writer.add_histogram(name, p.grad, trainer.global_step)  # want SAT310 "is logged in every step"

    def on_train_epoch_end(self, trainer, module):
        subprocess.check_output(["nvidia-smi"])


def fit(module):
    Trainer(accelerator="gpu", precision="bf16-mixed", callbacks=[Usage(), Histograms()]).fit(module)
