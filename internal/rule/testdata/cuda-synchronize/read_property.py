import time

import torch
from torch import nn


class Watch:
    def __init__(self):
        self.since = time.perf_counter()

    @property
    def seconds(self):
        torch.cuda.synchronize()  # want SAT307 "in every step"
        return time.perf_counter() - self.since

    @property
    def minutes(self):
        torch.cuda.synchronize()
        return (time.perf_counter() - self.since) / 60


def train(loader):
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    watch = Watch()
    for step, x in enumerate(loader):
        loss = net(x.cuda(non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(watch.seconds)
        if step % 1000 == 0:
            print(watch.minutes)


train([])
