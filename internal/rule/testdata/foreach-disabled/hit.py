import torch
from torch.nn.utils import clip_grad_norm_

FOREACH = False


def train(model, loader, criterion):
    model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)  # want SAT407 "one tensor at a time"
    other = torch.optim.SGD(model.parameters(), lr=0.1, foreach=FOREACH)  # want SAT407 "one tensor"
    for x, y in loader:
        criterion(model(x), y).backward()
        clip_grad_norm_(model.parameters(), 1.0, foreach=False)  # want SAT407 "one tensor"
        optimizer.step()
        other.step()
