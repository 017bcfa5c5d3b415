import torch
from torch import nn


class Loss(nn.Module):
    def forward(self, x):
        first = torch.zeros(1).to(x.device)  # want SAT312 "zeros.1. is created on the host"
        second = torch.zeros(1).to(x.device)
        third = torch.ones(1).to(x.device)  # want SAT312 "ones"
        return x.mean() + first + second + third

    def extra(self, x):
        return torch.zeros(1).to(x.device)  # want SAT312 "zeros"


def train(model, loader, optimizer):
    model.cuda()
    loss = Loss()
    for x in loader:
        value = loss(model(x.cuda())) + loss.extra(x)
        value.backward()
        optimizer.step()
