import torch
from torch import nn


class Rays(nn.Module):
    def __init__(self, conf):
        super().__init__()
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        noise = torch.zeros(x.shape).cuda()  # want SAT312 "created on the host"
        return self.net(x + noise)
