import torch
from torch import nn


class PostProcessMasks(nn.Module):
    """It makes of the outputs what people look at; no step runs it, though it is a model."""

    def forward(self, outputs):
        small = torch.as_tensor([m.area() for m in outputs], device="cuda")
        return small.any().item()


def train(model, loader, optimizer):
    model.cuda()
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
