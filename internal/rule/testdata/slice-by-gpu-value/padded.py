"""The rest of a division is a number of the host, also where the function returns it beside a tensor."""
import math

import torch
import torch.nn.functional as F
from torch import nn


def pad_to_multiple(x, multiple):
    if x is None:
        return None, 0
    size = x.size(1)
    blocks = size / multiple
    rest = math.ceil(blocks) * multiple - size
    return F.pad(x, (0, 0, 0, rest)), rest


def cut(hidden, keep):
    return hidden[:, -keep:]


def apply(function, first, second, keep):
    return function(second, keep)


def tail(x, where):
    return x[:, where:]  # want SAT317 "waits for where"


class Encoder(nn.Module):
    def forward(self, x):
        x, rest = pad_to_multiple(x, 8)
        x = x[:, :-rest]
        return tail(x, x.argmax()), apply(cut, x.cuda(), x, x.size(1) - 4)


def train(net: Encoder, loader, optimizer):
    net.cuda()
    for x in loader:
        loss = net(x.cuda(non_blocking=True))[0].mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
