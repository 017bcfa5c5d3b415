"""What the programs of this folder share: a clock around the function that costs, and a tiny model.

Each program times its costly function by hand, and the part of the step that the function is in. At its end it writes
both as shares: of the part, and of all steps after the first. Workers write their own file as they go.
"""

import functools
import json
import os
import sys
import time

import torch

torch.set_num_threads(1)
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
spent = {"function": 0.0, "part": 0.0, "training": 0.0}
clock = time.perf_counter


def timed(name):
    """Counts the time of a function, once the first step is over."""

    def wrap(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            began = clock()
            try:
                return function(*args, **kwargs)
            finally:
                spent[name] += clock() - began

        return call

    return wrap


def asked(loader):
    """The batches of a loader, where waiting for one is the part."""
    batches = iter(loader)
    while True:
        began = clock()
        try:
            batch = next(batches)
        except StopIteration:
            return
        finally:
            spent["part"] += clock() - began
        yield batch


model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def update(x):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train(batches, after=lambda: None):
    began, steps = clock(), 0
    for x in batches:
        if steps == 1:
            began = clock()
            spent.update(function=0.0, part=0.0)
        update(x)
        after()
        steps += 1
        if steps == STEPS:
            break
    spent["training"] = clock() - began


told = clock()


def tell_now_and_then():
    """For workers, which end without a word. Seldom, for writing is not what they are timed for."""
    global told
    if clock() - told > 1:
        tell()
        told = clock()


def tell(part=True):
    """part: whether the part was timed at all; elsewhere the function is compared with training."""
    with open("%s.%d" % (os.environ["HAND"], os.getpid()), "w") as file:
        json.dump({**spent, "part": spent["part"] if part else 0.0}, file)
