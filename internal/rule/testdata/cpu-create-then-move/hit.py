import torch
from torch import nn


class Positions(nn.Module):
    def forward(self, x):
        steps = torch.arange(x.size(1)).to(x.device)  # want SAT312 "torch.arange.x.size.1.. is created on the host"
        return x + steps


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.positions = Positions()

    def forward(self, x):
        noise = torch.randn(x.shape).to(x.device)  # want SAT312 "created on the host"
        return self.positions(x) + noise


def train(loader, optimizer, device):
    model = Net().to(device)
    for x, y in loader:
        out = model(x.cuda(non_blocking=True))
        ones = torch.ones(  # want SAT312 "made on the host"
            out.size(0), 1
        ).cuda()
        total = torch.tensor(0.0).to(device)  # want SAT312 "created on the host"
        shaped = torch.zeros(*out.shape).to(device=device)  # want SAT312 "created on the host"
        typed = torch.zeros(3).to(device, torch.float16)  # want SAT312 "created on the host"
        loss = (out - y.cuda(non_blocking=True)).mean() + ones.sum() + total + shaped.sum() + typed.sum()
        loss.backward()
        optimizer.step()
