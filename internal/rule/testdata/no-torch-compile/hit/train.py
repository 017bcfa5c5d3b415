from copy import deepcopy

import torch
from torch import nn


def main(loader):
    model = nn.TransformerEncoderLayer(1024, 16)
    ema = deepcopy(model).to("cuda")
    model = model.to("cuda")  # want SAT411 "not compiled"
    criterion = nn.MSELoss().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
