import copy

import torch
from torch import nn


def average(source, target, decay):
    ours = source.state_dict()
    theirs = target.state_dict()
    for key in ours.keys():  # want SAT320 "one tensor at a time"
        theirs[key].data.copy_(theirs[key].data * decay + ours[key].data * (1 - decay))


def mix(theirs, ours, share):
    for a, w in zip(theirs, ours):  # want SAT320 "one tensor at a time"
        a.detach().mul_(share).add_(w, alpha=1 - share)


def train(loader):
    model = nn.Linear(8, 8).cuda()
    slow = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        average(model, slow, 0.999)
        mix(slow.parameters(), model.parameters(), 0.99)
