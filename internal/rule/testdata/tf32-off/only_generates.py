import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(80, 80, 3)

    def forward(self, x):
        return self.conv(x)

    def generate_next(self, x):
        return nn.functional.linear(x, self.conv.weight.view(80, -1))


def fit(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
