import torch
from torch import nn


def follow(model, weights, share):
    mixed = {k: share * weights[k] + (1 - share) * v for k, v in model.state_dict().items()}  # want SAT320 "the average of the weights"
    model.load_state_dict(mixed)


def approach(target, source, share):
    new, own = source.state_dict(), target.state_dict()
    for k in own:  # want SAT320 "the average of the weights"
        own[k] = new[k] * share + own[k] * (1 - share)
    target.load_state_dict(own)


def rename(model, weights):
    model.load_state_dict({k.removeprefix("module."): v for k, v in weights.items()})


def train(loader):
    model, slow, slower = nn.Linear(256, 256).cuda(), nn.Linear(256, 256).cuda(), nn.Linear(256, 256).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        follow(slow, model.state_dict(), 0.005)
        approach(slower, model, 0.005)
        rename(model, slow.state_dict())
