from copy import deepcopy

import torch
from torch import nn


def main(loader):
    model = nn.Linear(1024, 1024)
    ema = deepcopy(model).to("cuda")
    model = model.to("cuda")
    criterion = nn.MSELoss().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
