import torch
from torch import nn


class Unnamed(nn.Module):
    def __init__(self, conf):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        noise = torch.zeros(x.shape).cuda()
        return self.net(x + noise)
