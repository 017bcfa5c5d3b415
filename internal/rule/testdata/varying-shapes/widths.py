import jax
import numpy as np


def batches(lines, size, limit):
    while True:
        rows = [lines[i] for i in np.random.randint(0, len(lines), size)]
        n = max(len(r) for r in rows)
        out = np.zeros((size, n), dtype=np.int32)  # want SAT807 "compiles again for each width"
        for k, r in enumerate(rows):
            out[k, : len(r)] = r
        yield out


def fixed(lines, size, limit):
    while True:
        rows = [lines[i][:limit] for i in np.random.randint(0, len(lines), size)]
        out = np.zeros((size, limit), dtype=np.int32)
        for k, r in enumerate(rows):
            out[k, : len(r)] = r
        yield out


def loss_fn(params, x):
    return (x @ params).mean()


@jax.jit
def train_step(params, x):
    return params - 0.1 * jax.grad(loss_fn)(params, x)


def train(params, lines):
    for x in batches(lines, 8, 64):
        params = train_step(params, x)
    for x in fixed(lines, 8, 64):
        params = train_step(params, x)
    return params
