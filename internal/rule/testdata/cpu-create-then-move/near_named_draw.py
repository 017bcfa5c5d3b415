import torch
from torch import nn


def train(loader):
    model = nn.Linear(512, 512).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    draw = torch.distributions.Beta(0.4, 0.4).sample  # a method by another name
    for x in loader:
        weight = draw().cuda()
        loss = (model(x.cuda()) * weight).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
