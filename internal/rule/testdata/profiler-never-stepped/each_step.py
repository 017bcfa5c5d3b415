import torch
from torch.profiler import profile


def train(model, loader, optimizer):
    for step, x in enumerate(loader):
        with profile(record_shapes=True) as prof:  # want SAT314 "in every step"
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()


def train_some(model, loader, optimizer):
    for step, x in enumerate(loader):
        with torch.autograd.profiler.profile(enabled=False):
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
        if step == 100:
            with profile() as prof:
                model(x.cuda())
