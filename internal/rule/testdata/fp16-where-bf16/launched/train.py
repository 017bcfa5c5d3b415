import torch
from accelerate import Accelerator


def train(model, loader):
    accelerator = Accelerator()
    opt = torch.optim.AdamW(model.parameters())
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for x in loader:
        accelerator.backward(model(x).sum())
        opt.step()
