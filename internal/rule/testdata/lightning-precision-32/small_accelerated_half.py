"""Accelerators that compute in half precision: as they are told, or by weights of that type."""
import torch
from accelerate import Accelerator
from torch import nn


def train(loader, kind="bf16"):
    accelerator = Accelerator(mixed_precision=kind)
    net = nn.Linear(512, 512)
    optimizer = torch.optim.AdamW(net.parameters())
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for x in loader:
        accelerator.backward(net(x).mean())
        optimizer.step()
        optimizer.zero_grad()


def tune(loader):
    accelerator = Accelerator()
    net = nn.Linear(512, 512).to(accelerator.device, torch.bfloat16)
    optimizer = torch.optim.AdamW(net.parameters())
    for x in loader:
        net(x.to(torch.bfloat16)).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    train([])
    tune([])
