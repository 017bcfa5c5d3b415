import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.size = 4

    def forward(self, x):
        return x * self.scale


def train(loader, writer):
    model = nn.DataParallel(Net()).cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        writer.add_scalar("scale", model.module.scale.data, step)  # want SAT310 "model.module.scale.data"
        writer.add_scalar("size", model.module.size, step)
