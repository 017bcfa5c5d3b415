from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] - y) ** 2)


@jax.jit
def decorated(params, x, y):
    return jax.value_and_grad(loss_fn)(params, x, y)


@partial(jax.jit, donate_argnums=0)
def with_options(params, x, y):
    return jax.grad(loss_fn)(params, x, y)


def handed_on(params, x, y):
    return jax.grad(loss_fn)(params, x, y)


@nnx.jit
def outer(params, x, y):
    return inner(params, x, y)


def inner(params, x, y):
    return nnx.value_and_grad(loss_fn)(params, x, y)


def train(params, batches):
    step = jax.jit(handed_on)
    grad = jax.jit(jax.grad(loss_fn))
    for x, y in batches:
        decorated(params, x, y)
        with_options(params, x, y)
        step(params, x, y)
        outer(params, x, y)
        grad(params, x, y)


class Trainer:
    def __init__(self):
        self.step = jax.jit(self._step)

    def _step(self, params, x, y):
        return jax.grad(loss_fn)(params, x, y)

    def fit(self, params, batches):
        for x, y in batches:
            self.step(params, x, y)
