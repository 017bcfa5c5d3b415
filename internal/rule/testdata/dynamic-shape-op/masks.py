import torch
from torch import nn


def real(tokens, pad):
    return tokens != pad


def masked_error(out, target, chosen):
    return (out[chosen] - target).pow(2).mean()  # want SAT306 "depends on GPU values"


def by_number(out, rows):
    return out[rows].sum()


class Loss(nn.Module):
    def forward(self, out, tokens):
        wide = real(tokens, 0).unsqueeze(2).expand_as(out)
        return out[wide].sum()  # want SAT306 "depends on GPU values"


def train(model, loader, optimizer):
    model.cuda()
    loss_of = Loss()
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        loss = loss_of(out, y) + masked_error(out, y, y > 0) + by_number(out, y.argmax(1))
        loss.backward()
        optimizer.step()
