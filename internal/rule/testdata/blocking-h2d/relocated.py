import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def relocate(self, parts: list):
        device = next(self.parameters()).device
        for i in range(len(parts)):
            if parts[i].device != device:
                parts[i] = parts[i].to(device)  # moves nothing: the loop has
        return parts

    def forward(self, x, y):
        x, y = self.relocate([x, y])
        return self.layer(x) - y


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        model(x.cuda(non_blocking=True), y.cuda(non_blocking=True)).mean().backward()
        optimizer.step()
