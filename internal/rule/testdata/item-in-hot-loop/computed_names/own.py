import torch
import sys


class Own(torch.nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x):
        y = self.layer(x)
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"


def make(name):
    return getattr(sys.modules[__name__], name)()
