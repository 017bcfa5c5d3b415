"""Accelerators that are told no precision: as they are made, by None, by a dict that is empty."""
import torch
from accelerate import Accelerator
from torch import nn


class Fit:
    def __init__(self, net, options=None, extra={}):
        self.net = net
        self.accelerator = Accelerator(gradient_accumulation_steps=2, **extra)  # want SAT702 "in float32 unless accelerate's own settings say otherwise; accelerate launch may"

    def run(self, loader):
        optimizer = torch.optim.AdamW(self.net.parameters())
        net, optimizer, loader = self.accelerator.prepare(self.net, optimizer, loader)
        for x in loader:
            self.accelerator.backward(net(x).mean())
            optimizer.step()
            optimizer.zero_grad()


def main(loader):
    accelerator = Accelerator(mixed_precision=None)  # want SAT702 "in float32 unless"
    net = nn.Linear(512, 512)
    optimizer = torch.optim.AdamW(net.parameters())
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for x in loader:
        accelerator.backward(net(x).mean())
        optimizer.step()
        optimizer.zero_grad()
    Fit(nn.Linear(512, 512)).run(loader)


if __name__ == "__main__":
    main([])
