"""Comparisons that index a tensor of the GPU, wherever what they compare comes from."""
import torch
from torch import nn


def accuracy(output, target):
    right = output.max(1)[1].eq(target)
    kept = right[target != 255]  # want SAT306 "the size of right.target != 255."
    return kept.float().mean()


def train(loader, optimizer, score, names):
    model = nn.Linear(8, 8).cuda()
    outs = [1, 2]
    for x, y in loader:
        y = y.cuda()
        out = model(x.cuda())
        outs[names == "far"] = out  # of a list
        loss = out.mean()
        loss.backward()
        optimizer.step()
        score += accuracy(out, y)
