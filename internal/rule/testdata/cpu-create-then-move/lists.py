import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x, y):
    return (x @ params - y).mean()


def sample(rows):
    x = [np.pad(r, (0, 8)).tolist() for r in rows]
    return x, [len(r) for r in rows]


def stacked(rows):
    return np.stack([np.pad(r, (0, 8)) for r in rows]), np.zeros(len(rows))


def train(params, loader):
    for rows in loader:
        xs, ys = sample(rows)
        x = jnp.array(xs)  # want SAT312 "xs is turned from lists of numbers into an array"
        y = jnp.array(ys)
        more, _ = stacked(rows)
        kept = []
        for r in rows:
            kept.append([v / 255 for v in r])
        z = jnp.asarray(kept)  # want SAT312 "kept is turned from lists of numbers"
        loss, grads = jax.value_and_grad(loss_fn)(params, x + z, y + jnp.asarray(more).mean())
        params = params - grads
    return params
