import torch.nn as nn
from parts import Block


class Config:
    width = 512


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.block = Block(config.width)

    def forward(self, x):
        return self.block(x)
