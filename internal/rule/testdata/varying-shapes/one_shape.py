"""Masks, draws and lengths that leave the shape of a step alone."""

import random

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def step(params, x, y):
    return params - 0.1 * jax.grad(loss_fn)(params, x, y)


def train(params, data, labels, batches, corpus):
    known = data[labels >= 0]  # once, before the loop
    for s in range(1000):
        rows = np.random.randint(0, len(known), 8)
        params = step(params, known[rows], labels[rows])
        at = random.randint(0, 1000)
        params = step(params, corpus[at : at + 64], labels[rows])
    for x, y in batches:
        params = step(params, jnp.where(y[:, None] > 0, x, 0.0), y)
        few = jnp.nonzero(y, size=8)[0]
        params = step(params, x[few], y[few])
        wide = -(-int((x != 0).sum(-1).max()) // 64) * 64
        params = step(params, x[:, :wide], y)
        params = step(params, x[:, : 64 + at // 1000], y)
        half = random.randint(1, 2)
        params = step(params, x[:, half:], y)
        print((x[y > 0]).mean())
    return params


def shuffled(x, y, n):
    order = np.random.permutation(len(x))
    clean = x[np.isfinite(x).all(-1)]
    for s in range(0, len(x) - n, n):
        yield clean[order[s : s + n]], y[order[s : s + n]]


def epochs(params, x, y):
    for a, b in shuffled(x, y, 8):
        params = step(params, a, b)
    return params
