"""A mask function that finds the longest length itself where it is given none."""

import torch
from torch import nn


def mask_of(lengths, longest=None):
    if longest is None:
        longest = lengths.data.max()
    places = torch.arange(longest, device=lengths.device)  # want SAT301 "waits for the GPU in every step"
    return places[None] < lengths[:, None]


def mask_to(lengths, longest=None):
    if longest is None:
        longest = lengths.max()
    return torch.arange(longest, device=lengths.device)[None] < lengths[:, None]


def main(loader):
    net = nn.Linear(80, 80).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for x, lengths in loader:
        x, lengths = x.cuda(), lengths.cuda()
        loss = (net(x).mean(-1) * mask_of(lengths) * mask_to(lengths, x.size(1))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
