"""A norm of the weights does not need float64."""

import torch
from torch import nn

torch.set_default_dtype(torch.float64)  # want SAT423 "float64"


def main(loader):
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=True)
    for a, b in loader:
        loss = (model(a.cuda()) - b.cuda()).pow(2).mean() + torch.linalg.norm(model.weight)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
