"""Freezing one model says nothing of another."""

import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(512, 512)

    def forward(self, x):
        return self.layer(x)


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(512, 512)
        for p in self.inner.parameters():
            p.requires_grad = False

    def forward(self, x):
        return self.inner(x)


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(512, 512)

    def forward(self, x):
        return self.inner(x)


def freeze(net):
    for p in net.parameters():
        p.requires_grad_(False)


def train(loader):
    student, features, judge, fixed = Net().cuda(), Features().cuda(), Judge().cuda(), Judge().cuda()
    average = copy.deepcopy(student)
    freeze(features)
    optimizer = torch.optim.Adam(student.parameters())
    for x in loader:
        x = x.cuda()
        out = student(x)
        goal = average(x)  # want SAT513 "average builds a graph"
        loss = (out - goal.detach()).abs().mean() + (features(out) - features(x).detach()).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def judged(loader):
    student, fixed = Net().cuda(), Judge().cuda()
    freeze(fixed)
    optimizer = torch.optim.Adam(student.parameters())
    for x in loader:
        x = x.cuda()
        out, goal = student(x), fixed(x)
        loss = (out - goal.detach()).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
