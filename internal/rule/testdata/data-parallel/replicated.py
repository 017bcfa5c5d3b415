import torch
from torch import nn


def spread(model, x):
    devices = list(range(torch.cuda.device_count()))
    replicas = nn.parallel.replicate(model, devices)  # want SAT601 "copied to every GPU"
    return nn.parallel.gather(nn.parallel.parallel_apply(replicas, nn.parallel.scatter(x, devices)), devices[0])


def fit(model, loader, optimizer):
    for x, y in loader:
        loss = nn.functional.mse_loss(spread(model, x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def show(model, x):
    return nn.parallel.data_parallel(model, x)
