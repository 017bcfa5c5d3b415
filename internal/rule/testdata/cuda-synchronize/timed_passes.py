import time

import torch


def measure(model, x):
    torch.cuda.synchronize()
    start = time.time()
    y = model(x.cuda()).sum()
    model.zero_grad()
    y.backward()
    torch.cuda.synchronize()
    return time.time() - start


def benchmark(model, x):
    return [measure(model, x) for _ in range(100)], sum(measure(model, x) for _ in range(3))


def warm(model, x):
    for _ in range(10):
        measure(model, x)
