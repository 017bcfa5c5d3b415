"""Masks that stay on the host select from tensors of the GPU."""

import torch
from torch import nn


class Contrast(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size, self.others = size, self.other_pairs(size)
        self.similarity = nn.CosineSimilarity(dim=-1)
        self.register_buffer("kept", ~torch.eye(2 * size, dtype=torch.bool))
        self.moved = (~torch.eye(2 * size, dtype=torch.bool)).cuda()

    def other_pairs(self, size):
        mask = torch.ones((2 * size, 2 * size), dtype=bool)
        mask = mask.fill_diagonal_(0)
        for i in range(size):
            mask[i, size + i] = 0
            mask[size + i, i] = 0
        return mask

    def forward(self, a, b):
        z = torch.cat((a, b))
        like = self.similarity(z.unsqueeze(1), z.unsqueeze(0)) / 0.5
        return like[self.others].mean()  # want SAT306 "the mask of like.self.others. is on the host"


class Moved(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.moved = (~torch.eye(2 * size, dtype=torch.bool)).cuda()
        self.rows = torch.arange(size)

    def forward(self, z):
        like = z @ z.t()
        return like[self.rows].mean()


def on_host(labels):
    mask = torch.ones(len(labels)).bool()
    return labels[mask]


def main(loader):
    net, contrast, moved = nn.Linear(64, 128).cuda(), Contrast(64), Moved(64)
    optimizer = torch.optim.Adam(net.parameters())
    for a, b, labels in loader:
        on_host(labels)
        a, b = net(a.cuda()), net(b.cuda())
        loss = contrast(a, b) + moved(a)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
