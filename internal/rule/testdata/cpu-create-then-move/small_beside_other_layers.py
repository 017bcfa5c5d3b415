import argparse
import sys

import torch
from torch import nn


class Cut(nn.Module):
    def forward(self, x, lengths):
        return x[:, : lengths.max().item()]


class Warp(nn.Module):
    def __init__(self):
        super().__init__()
        self.cut, self.mix = Cut(), nn.Linear(8, 8)

    def forward(self, x, lengths):
        edges = torch.tensor([-2.0, 2.0], device=x.device)  # want SAT312 "is computed on the host and copied in every step; a few numbers"
        return self.cut(self.mix(x), lengths).clamp(edges[0], edges[1])


def fit(batches):
    options = argparse.ArgumentParser()
    options.add_argument("--model", default="Warp")
    net = getattr(sys.modules[__name__], options.parse_args().model)().cuda()
    update = torch.optim.AdamW(net.parameters(), fused=True)
    for x in batches:
        loss = net(x).mean()
        loss.backward()
        update.step()
