import functools

import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


@functools.partial(jax.jit, static_argnums=2)  # want SAT804 "old state stays"
def train_step(state, x, rate):
    loss, grads = jax.value_and_grad(loss_fn)(state, x)
    return state - rate * grads, loss


def train(state, batches):
    for x in batches:
        state, loss = train_step(state, x, 0.1)
    return state
