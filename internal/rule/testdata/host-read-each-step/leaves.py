import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(params, x, y):
    return jax.value_and_grad(lambda p: jnp.mean((x @ p["w"] - y) ** 2))(params)


@jax.jit
def update(params, grads, scale):
    return jax.tree_util.tree_map(lambda p, g: p - scale * g, params, grads)


def norm(grads):
    total = 0.0
    for g in jax.tree_util.tree_leaves(grads):
        total += float(jnp.sum(g**2))  # want SAT803 "once for each array"
    return total**0.5


def count(params):
    total = 0
    for p in jax.tree_util.tree_leaves(params):
        total += int(np.prod(p.shape))
    return total


def train(params, batches):
    print(count(params))
    seen = []
    for x, y in batches:
        loss, grads = step(params, x, y)
        params = update(params, grads, 1e-3 / (norm(grads) + 1e-6))
        seen.append(jax.tree_util.tree_map(np.asarray, loss))  # want SAT803 "waits for the device"
    return params, seen
