"""Rows that are written one at a time, and parts that wait in a variable."""
import torch
import torch.nn.functional as F
from torch import nn


def pad(parts, value):
    count = len(parts)
    longest = max(x.size(0) for x in parts)
    out = parts[0].new(count, longest).fill_(value)
    for i in range(count):  # want SAT319 "writes out one row at a time"
        out[i, : parts[i].size(0)] = parts[i]
    return out


def mask(x, lengths):
    kept = x.new_ones(x.size())
    for i, n in enumerate(lengths):  # want SAT319 "writes kept one row at a time"
        kept[i, n:] = 0
    return kept


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.names = ["a", "b"]

    def forward(self, scores, boxes):
        losses = []
        found = {}
        for i, name in enumerate(self.names):
            found[i] = name
        for i in range(scores.shape[0]):  # want SAT319 "computes on scores one part at a time"
            score = scores[i, :]
            losses.append(F.mse_loss(torch.clamp(score, 0, 1), boxes[i]))
        return torch.stack(losses).mean()


def train(model, loader, optimizer):
    model.cuda()
    criterion = Loss().cuda()
    for x, y, lengths in loader:
        out = model(x.cuda())
        parts = torch.split(out, 4)
        loss = criterion(out, y.cuda()) + pad(parts, 0).mean() + (out * mask(out, lengths)).mean()
        loss.backward()
        optimizer.step()
