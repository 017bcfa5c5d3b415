import torch
import torch.nn as nn


def gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / 1.4142135))  # want SAT421 "gelu is written"


def swish(x):
    return x * torch.sigmoid(x)


ACTIVATIONS = {"gelu": gelu, "swish": swish}


class Block(nn.Module):
    def __init__(self, width, act="gelu"):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.act = ACTIVATIONS[act]

    def forward(self, x):
        return self.act(self.inner(x))


class Other(nn.Module):
    """Nothing makes it, and nobody installs the program."""

    def forward(self, x):
        return x * torch.sigmoid(x)
