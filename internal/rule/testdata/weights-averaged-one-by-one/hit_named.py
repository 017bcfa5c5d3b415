import copy
from collections import OrderedDict

import torch
from torch import nn


@torch.no_grad()
def update(slow, model, decay=0.9999):
    theirs = OrderedDict(slow.named_parameters())
    ours = OrderedDict(model.named_parameters())
    for name, weight in ours.items():  # want SAT320 "one tensor at a time"
        theirs[name].mul_(decay).add_(weight.data, alpha=1 - decay)


def interpolate(model, slow, share=0.999):
    for weight, average in zip(model.parameters(), slow.parameters()):  # want SAT320 "one tensor at a time"
        average.data = torch.lerp(weight.data, average.data, share)


def train(loader):
    model = nn.Linear(8, 8).cuda()
    slow = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        update(slow, model)
        interpolate(model, slow)
