import torch
import torch.nn as nn


def train(loader):
    model = nn.Linear(64, 512).to("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        loss = (model(x.to("cuda")) - y.to("cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward(None, True)  # want SAT514 "the graph is kept"
        optimizer.step()
