"""Tables that are computed from numbers alone on the host, and then moved: they can be computed on the GPU."""
import math

import torch
from torch import nn


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000.0) * torch.arange(half).float() / half).to(t.device)  # want SAT312 "torch.arange"
    args = t[:, None].float() * freqs[None]
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


def next_statement(t, dim, max_period=10000):
    half = dim // 2
    rate = math.log(max_period) / half
    freqs = torch.exp(torch.arange(0, half, dtype=torch.float32) * -rate)
    freqs = freqs.to(device=t.device)  # want SAT312 "torch.arange"
    return t[:, None] * freqs


def with_a_tensor(t, decay):
    return (torch.arange(8) * decay.weights).to(t.device)  # want SAT312 "torch.arange"


def in_brackets(t, n):
    return (torch.arange(n) / n).to(t.device)  # want SAT312 "torch.arange"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(16, 16)

    def forward(self, x, t):
        return self.out(x) + timestep_embedding(t, 16) + next_statement(t, 16) + with_a_tensor(t, self.out) + in_brackets(t, 16)


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for x, t in loader:
        loss = model(x.cuda(non_blocking=True), t.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
