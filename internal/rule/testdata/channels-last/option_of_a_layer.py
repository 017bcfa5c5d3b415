"""A layer of the project has an option of that name; the model's layout is the default."""
import timm
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, data_format="channels_last"):
        super().__init__()
        self.data_format = data_format

    def forward(self, x):
        return x


def train(loader, optimizer, criterion):
    model = timm.create_model("convnext_tiny").cuda()  # want SAT415 "must transpose"
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
