import torch
from torch import nn


def train(model, loader, optimizer, epochs):
    for epoch in range(epochs):
        compiled = torch.compile(model)  # want SAT412 "compiled repeatedly"
        for x in loader:
            loss = compiled(x.cuda()).mean()
            loss.backward()
            optimizer.step()


class Net(nn.Module):
    def forward(self, x):
        return torch.compile(self.inner)(x)  # want SAT412 "compiled repeatedly"


def steps(loader, optimizer):
    model = Net().cuda()
    for x in loader:
        fast = torch.jit.script(model)  # want SAT412 "compiled repeatedly"
        fast(x).mean().backward()
        optimizer.step()
