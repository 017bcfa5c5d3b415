import math

import numpy as np
import torch
from torch import nn

ROOT = 0.7978845608028654


class NewGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))  # want SAT421 "gelu is written"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = NewGELU()

    def forward(self, x, y):
        x = self.act(x)
        x = x / 2 * (1 + (ROOT * (x + 0.044715 * x ** 3)).tanh())  # want SAT421 "gelu is written"
        x = x * 0.5 * (1 + torch.erf(x * np.sqrt(0.5)))  # want SAT421 "gelu is written"
        # a tanh with other constants is another function
        x = 0.5 * x * (1 + torch.tanh(0.79 * (x + 0.0447 * x ** 3)))  # want SAT421 "gelu is written"
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2))) * y  # want SAT421 "gelu is written"


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        loss = model(x.cuda(), y.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
