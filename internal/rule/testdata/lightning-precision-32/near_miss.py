import lightning as L
from accelerate import Accelerator


def main(options, precision):
    return (
        L.Trainer(max_epochs=10, accelerator="gpu", precision="bf16-mixed"),
        L.Trainer(max_epochs=10, accelerator="gpu", precision=precision),
        L.Trainer(**options),
        L.Trainer(accelerator="cpu"),
        L.Trainer(accelerator="mps"),
        L.Trainer(accelerator="gpu", fast_dev_run=True),
        Accelerator(),
        Accelerator(mixed_precision="bf16"),
    )


def test(model):
    L.Trainer(accelerator="gpu").test(model)
