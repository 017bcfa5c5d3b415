import torch
from torch import nn


class Edges(nn.Module):
    def forward(self, parts):
        index, value = parts[0]
        for other, weight in parts[1:]:
            index = torch.cat((index, other), dim=1)  # want SAT321 "copies all of index"
            value = torch.cat((value, weight))  # told SAT321 "and here"
        return (index * value).sum()


def train(loader):
    model = Edges().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for parts in loader:
        loss = model(parts)
        loss.backward()
        optimizer.step()
