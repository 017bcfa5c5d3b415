"""A model of a library that is compiled: nothing is missing."""

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import models


def main(data):
    loader = DataLoader(data, batch_size=64, num_workers=8)
    model = models.resnet18(num_classes=100).to("cuda")
    model.compile(mode="reduce-overhead")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for x, y in loader:
        loss = F.cross_entropy(model(x.to("cuda")), y.to("cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
