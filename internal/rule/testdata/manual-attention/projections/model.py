import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)  # want SAT409 "handwritten"
        return weights @ v


def train(loader):
    model = Attention(64).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
