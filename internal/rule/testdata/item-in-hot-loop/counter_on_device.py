"""A counter that is a buffer of the model: a method, a property and a slice read it back."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.register_buffer("steps", torch.zeros(1, dtype=torch.long))
        self.register_buffer("width", torch.tensor(4))
        self.scale = nn.Parameter(torch.ones(1))
        self.layers = 3

    @property
    def factor(self):
        return self.width.item()  # want SAT301 "self.width.item"

    def forward(self, x):
        self.steps += 1
        if self.layers > 2:
            x = x * self.factor
        return self.body(x)[:, : self.width]

    def taken(self):
        return self.steps.data.item()  # want SAT301 "self.steps.data.item"

    def count(self):
        return int(self.layers)


def train(loader, writer):
    model = nn.DataParallel(Net()).cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        step = model.module.taken() + model.module.count()
        writer.add_scalar("scale", model.module.scale.data, step)
