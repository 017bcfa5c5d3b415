import time

import torch


class Watch:
    def __init__(self):
        self.last = time.perf_counter()

    def lap(self):
        torch.cuda.synchronize()  # want SAT307 "to measure time"
        now = time.perf_counter()
        passed, self.last = now - self.last, now
        return passed

    def now_and_then(self):
        torch.cuda.synchronize()
        return time.perf_counter()


def main(net, loader, opt, accum=4):
    net = net.cuda()
    watch = Watch()
    micro = 0
    for x in loader:
        (net(x.cuda()).sum() / accum).backward()
        micro += 1
        if micro % accum:
            continue
        opt.step()
        opt.zero_grad()
        watch.lap()
        if micro % 1000 == 0:
            print(watch.now_and_then())
