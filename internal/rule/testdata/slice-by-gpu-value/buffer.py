import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.register_buffer("width", torch.tensor(4))
        self.size = 4

    def forward(self, x):
        y = self.body(x)[:, : self.size]
        return y + self.body(x)[:, : self.width]  # want SAT317 "self.width"


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
