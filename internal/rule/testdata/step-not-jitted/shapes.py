"""Tests of shapes and of what is there are traced with the rest."""
import jax
import jax.numpy as jnp


def loss_fn(params, x, mask):
    return jnp.mean(x @ params)


def train_step(params, x, mask):
    if x.ndim == 1 or mask is not None and len(x.shape) > 2:
        x = x[None]
    grads = jax.grad(loss_fn)(params, x, mask)  # want SAT801 "not compiled"
    return params - 0.1 * grads


def train(params, batches):
    for x in batches:
        params = train_step(params, x, None)
    return params
