"""The compiled function goes over the parts of a batch, and Python over the batches."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x):
    y = x @ params
    return jnp.mean(y), (jnp.max(y), jnp.min(y))


@partial(jax.jit, static_argnames="rate")
def update_epoch(params, parts, rate=0.1):
    for x in parts:
        loss, grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x)
        params = params - rate * grads
    return params, loss


def update(params, x, epochs):
    told = {"loss": 0.0, "high": 0.0, "low": 0.0}
    for _ in range(epochs):
        params, total = update_epoch(params, jnp.split(x, 4))
        total, (high, low) = total
        told["loss"] += np.asarray(total)  # want SAT803 "waits for the device in every step"
        told["high"] += np.asarray(high)  # want SAT803 "waits for the device in every step"
        told["low"] += np.asarray(low)  # want SAT803 "waits for the device in every step"
    return params, told


def train(params, batches):
    for step, x in enumerate(batches):
        params, told = update(params, x, 4)
        if step % 100 == 0:
            print(told)
    return params
