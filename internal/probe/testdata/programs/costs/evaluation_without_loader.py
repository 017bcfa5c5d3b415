"""An evaluation in every step over batches in memory, before the step and not after it."""

import torch
from hand import model, tell, timed, train

validation = [torch.ones(4, 8)] * 3


@timed("function")
def beam_search(y):
    best = 0
    for i in range(15_000):
        best = max(best, (i * 7) % 1013)
    return best


@timed("part")
def evaluate():
    model.eval()
    with torch.no_grad():
        for x in validation:
            beam_search(model(x))
            model(x)
    model.train()


def batches():
    while True:
        evaluate()
        yield torch.ones(4, 8)


train(batches())
tell()
