from torch import nn


def train(loader, optimizer):
    model = nn.Conv1d(80, 80, 3).cuda()
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
