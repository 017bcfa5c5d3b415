import torch
from torch.nn.utils import clip_grad_norm_


def train(model, loader, optimizer):
    model.cuda()
    for i, (x, y) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        loss.backward()
        if (i + 1) % 4 == 0:
            clip_grad_norm_(model.parameters(), 1.0)  # where it is used
            optimizer.step()
            optimizer.zero_grad()


def train_always(model, loader, optimizer):
    for i, (x, y) in enumerate(loader):
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)  # the optimizer runs in every step
        optimizer.step()
        optimizer.zero_grad()
        if i % 100 == 0:
            print(i)
