"""What the test programs share: a tiny model whose phases last as long as they are told to.

work("forward") sleeps for the time given on the command line, forward=0.03, and writes down how long it really
slept; step_over() begins a new step of that list. The test compares it with what the probe saw, step by step.
"""

import atexit
import json
import os
import sys
import time

import torch
from torch.utils.data import Dataset

SLEEP = {name: float(value) for name, value in (arg.split("=") for arg in sys.argv[1:] if "=" in arg)}
STEPS = int(SLEEP.get("steps", 12))
BATCH = 4
slept = [{}]  # of each step

torch.set_num_threads(1)


def work(name):
    if name in SLEEP:
        began = time.perf_counter()
        time.sleep(SLEEP[name])
        slept[-1][name] = slept[-1].get(name, 0) + time.perf_counter() - began


def step_over():
    slept.append({})


@atexit.register
def tell():
    if "PLANTED" in os.environ and len(slept) > 1:
        with open("%s.%d" % (os.environ["PLANTED"], os.getpid()), "w") as file:
            json.dump(slept, file)


class Samples(Dataset):
    def __init__(self, batches=STEPS):
        self.batches = batches

    def __len__(self):
        return BATCH * self.batches

    def __getitem__(self, index):
        return {"x": torch.full((8,), float(index % 7)), "labels": torch.zeros(1)}


def collate(samples):
    work("data")
    return {name: torch.stack([sample[name] for sample in samples]) for name in samples[0]}


class SlowBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        work("backward")
        return grad


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 1)

    def forward(self, x, labels=None):
        work("forward")
        y = SlowBackward.apply(self.inner(x))
        if labels is None:
            return y
        return {"loss": torch.nn.functional.mse_loss(y, labels), "logits": y}


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        if closure is not None:  # as Lightning does it
            with torch.enable_grad():
                closure()
        work("optimizer")
        super().step()
        step_over()
