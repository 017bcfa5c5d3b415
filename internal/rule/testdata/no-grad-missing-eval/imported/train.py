import torch
from ranking_test import test
from torch import nn


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def train(loader, held_out, epochs):
    model = Ranker().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        test(model, held_out)
