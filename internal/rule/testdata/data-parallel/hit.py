import torch
from torch import nn


def train(model, loader, optimizer):
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)  # want SAT601 "one process drives all GPUs"
    model = model.cuda()
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
