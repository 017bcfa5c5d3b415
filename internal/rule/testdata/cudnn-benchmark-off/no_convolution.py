import torch
from torch import nn

torch.backends.cudnn.deterministic = True


def train(loader, optimizer):
    model = nn.Linear(3, 3).cuda()
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
