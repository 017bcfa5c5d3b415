import torch
from torch import nn


def main(loader):
    model = nn.Sequential(nn.Linear(1024, 1024), nn.LayerNorm(1024), nn.Linear(1024, 1024)).to("cuda")  # want SAT411 "has no compiler; the project asks for a torch that is older"
    criterion = nn.MSELoss().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
