"""Models whose weights no optimizer gets, run with gradients on."""

from itertools import chain

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layer = nn.Linear(8, width)

    def forward(self, x):
        return self.layer(x)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.neck, self.head = Net(), Net(), Net(2)

    def forward(self, x):
        z = self.body(x)  # want SAT513 "self.body is never updated but builds a graph"
        return self.head(self.neck(z))


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.head = inner, nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.inner(x))


def step(student, teacher, optimizer, x):
    goal = teacher(x)  # want SAT513 "teacher is never updated but builds a graph"
    loss = F.kl_div(student(x).log_softmax(-1), goal.softmax(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def distill(loader):
    student, teacher = Net().cuda(), Net().cuda()
    optimizer = torch.optim.AdamW([{"params": student.parameters(), "lr": 1e-3}], fused=True)
    for x in loader:
        step(student, teacher, optimizer, x.cuda())


def tag(loader):
    tagger = Tagger().cuda()
    optimizer = torch.optim.SGD(chain(tagger.neck.parameters(), tagger.head.parameters()), lr=0.1)
    for x, y in loader:
        loss = F.cross_entropy(tagger(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def whole(loader):
    inner = Net().cuda()
    model = Wrapped(inner).cuda()
    judge = Net().cuda()
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.1)
    for x, y in loader:
        x = x.cuda()
        seen = judge(model(x))  # its input needs the gradient
        loss = F.cross_entropy(seen, y.cuda()) + inner(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
