"""Code of the loop that no phase claims: metrics, and a library function that is slow for how it is called."""

import json

import torch
from hand import tell, timed, train

history = {"losses": list(range(20_000))}


@timed("function")
def keep_history():
    return len(json.dumps(history, indent=1))


def accuracy():
    total = 0
    for i in range(20_000):
        total += i
    return total


def after():
    accuracy()
    keep_history()


train([torch.ones(4, 8)] * 100_000, after=after)
tell(part=False)
