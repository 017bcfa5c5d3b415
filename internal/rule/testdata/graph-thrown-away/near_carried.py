import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mlp = nn.Conv2d(width, width, 1)

    def forward(self, x):
        return self.mlp(x)


class Net(nn.Module):
    """What one turn makes of x, the next one reads."""

    def __init__(self):
        super().__init__()
        self.mixes = nn.ModuleList([Mix(8) for _ in range(4)])
        self.first, self.last = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 8, 1)

    def forward(self, image):
        x = self.first(image)
        skip = 0
        for i in range(4):
            residual = x
            x = torch.tanh(residual)
            skip = x + skip
            x = self.mixes[i](x)
            x = x + residual[:, :, :, -x.size(3) :]
            x = torch.relu(x)
        return self.last(skip)


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        optimizer.zero_grad()
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()


def accumulated(loader, loss_scaler, parts):
    """What is changed in place has the graph, and what is called for itself may go back through it."""
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss, _ = model(x.cuda())
        shown = loss.item()
        loss /= parts
        loss_scaler(loss, optimizer)
        optimizer.step()
        print(shown)
