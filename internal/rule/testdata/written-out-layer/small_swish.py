import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.wide = nn.Sigmoid(), nn.Linear(512, 2048)

    def forward(self, x):
        x = self.wide(x)
        x = x * torch.sigmoid(x)  # want SAT421 "silu is written as a formula of several kernels; it is two kernels"
        return self.gate(x) * x  # want SAT421 "silu is written as a formula of several kernels; it is two kernels"


def train(loader):
    model = Block().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
