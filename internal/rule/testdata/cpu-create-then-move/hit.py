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


def waits_in_a_variable(loader, optimizer, device):
    model = Net().to(device)
    for x in loader:
        out = model(x.cuda(non_blocking=True))
        noise = torch.randn(out.size())
        if out.is_cuda:
            noise = noise.cuda()  # want SAT312 "torch.randn.out.size... is created on the host"
        share = torch.rand(out.size(0), 1)
        both = torch.cat([out, out])
        share = share.expand_as(both).to(both.device)  # want SAT312 "torch.rand"
        labels = torch.arange(out.size(0)).long().to(device)  # want SAT312 "torch.arange"
        loss = (out + noise).mean() + (share * both).mean() + labels.sum()
        loss.backward()
        optimizer.step()
