"""Steps that get another shape in each step."""

import random

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def step(params, x, y):
    return params - 0.1 * jax.grad(loss_fn)(params, x, y)


def masked(params, batches):
    for x, y in batches:
        keep = y >= 0
        x, y = jnp.asarray(x)[keep], y[keep]  # want SAT807 "changes from step to step"
        params = step(params, x, y)
    return params


def chosen(params, batches):
    for x, y in batches:
        rows = jnp.where(jnp.asarray(y) > 0)[0]  # want SAT807 "changes from step to step"
        params = step(params, jnp.take(x, rows, axis=0), y[rows])
    return params


def longest(params, batches):
    for x, y in batches:
        most = int((x != 0).sum(-1).max())
        params = step(params, x[:, :most], y)  # want SAT807 "changes from step to step"
    return params


def growing(params, batches):
    for step_number, (x, y) in enumerate(batches):
        wide = min(784, 64 + step_number // 10)
        params = step(params, x[:, :wide], y)  # want SAT807 "changes from step to step"
    return params


def clean(x, y):
    ok = np.isfinite(x).all(-1)
    return x[ok], y[ok]  # want SAT807 "changes from step to step"


def cleaned(params, batches):
    for batch in batches:
        x, y = clean(*batch)
        params = step(params, x, y)
    return params


class Corpus:
    def __init__(self, ids, width):
        self.ids, self.width = ids, width
        self.rng = np.random.default_rng(0)

    def windows(self, n, width=None):
        long = width or self.width
        rows = []
        for _ in range(n):
            s = self.rng.integers(0, len(self.ids) - long)
            rows.append(self.ids[s : s + long])  # want SAT807 "changes from step to step"
        return np.stack(rows), np.zeros(n)

    def any_width(self, n):
        return self.windows(n, int(self.rng.integers(32, self.width)))


def windows(params, corpus: Corpus, steps):
    for _ in range(steps):
        x, y = corpus.any_width(8)
        params = step(params, x, y)
    return params


def padded(rows, n):
    while True:
        part = random.sample(rows, n)
        width = max(len(r) for r in part)
        yield np.stack([np.pad(r, (0, width - len(r))) for r in part]), np.zeros(n)  # want SAT807 "changes from step to step"


def ragged(params, rows):
    it = padded(rows, 8)
    for _ in range(1000):
        x, y = next(it)
        params = step(params, x, y)
    return params


def generate(params, ids, n):
    logits = jax.jit(lambda p, x: x @ p)
    for _ in range(n):
        best = logits(params, ids).argmax(-1)
        ids = jnp.concatenate([ids, best[:, None]], 1)  # want SAT807 "ids grows in each iteration"
    return ids


def gathered(params, batches):
    seen = jnp.zeros((0,))
    for x, y in batches:
        params = step(params, x, y)
        seen = jnp.concatenate([seen, y])
    return params, seen.mean()


def listed(rows, n):
    part = random.sample(rows, n)
    width = max(len(r) for r in part)
    x = [np.pad(r, (0, width - len(r))).tolist() for r in part]  # want SAT807 "changes from step to step"
    return x, [0] * n


def lists(params, rows):
    for _ in range(1000):
        xs, ys = listed(rows, 8)
        params = step(params, jnp.array(xs), jnp.array(ys))
    return params
