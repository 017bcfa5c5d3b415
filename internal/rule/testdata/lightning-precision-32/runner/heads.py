import torch
from mmcv.runner import BaseModule
from mmcv.utils import Registry

MODELS = Registry("model")


@MODELS.register_module()
class Segmentor(BaseModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(512, 512)

    def train_step(self, batch, optimizer):
        loss = self.layer(batch["image"]).mean()
        return dict(loss=loss, log_vars={"loss": loss.item()}, num_samples=len(batch))


def make_model(config):
    return MODELS.build(config.model)


def make_loaders(config):
    return [config.loader]
