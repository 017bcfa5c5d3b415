import functools
import time

import torch


def timed(step):
    @functools.wraps(step)
    def around(self, *args):
        torch.cuda.synchronize()  # want SAT307 "to measure time"
        begun = time.perf_counter()
        result = step(self, *args)
        self.seconds += time.perf_counter() - begun
        return result

    return around


class Trainer:
    def __init__(self, net):
        self.net, self.seconds = net.cuda(), 0.0
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1, fused=True)

    @timed
    def step(self, x):
        loss = self.net(x.cuda()).mean()
        loss.backward()
        self.optimizer.step()

    def fit(self, loader):
        for x in loader:
            self.step(x)
