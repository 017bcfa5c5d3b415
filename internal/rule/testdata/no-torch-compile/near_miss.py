import torch
from torch import nn


def main(loader):
    model = torch.compile(nn.Linear(10, 10).to("cuda"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
