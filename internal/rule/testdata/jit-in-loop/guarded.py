"""Functions that a training loop makes and compiles every few steps."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def update(params, state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, state = optax.adam(1e-3).update(grads, state)
    return optax.apply_updates(params, updates), state


def main(params, state, batches, every):
    for step, (x, y) in enumerate(batches):
        params, state = update(params, state, x, y)
        if step % 100 == 0:
            norm = nnx.jit(lambda p, a, b: optax.global_norm(jax.grad(loss_fn)(p, a, b)))  # want SAT802 "is a new function each time"
            print(step, norm(params, x, y))
        if step > 0 and (step + 1) % every == 0:
            print(jax.jit(partial(loss_fn, params))(x, y))  # want SAT802 "is a new function each time"
        if not step % 50:

            @jax.jit  # want SAT802 "error is a new function in each iteration"
            def error(p):
                return loss_fn(p, x, y)

            print(error(params))
        if step % 20000 == 0:
            print(jax.jit(lambda p: p.mean())(params))
        if step == 0:
            print(jax.jit(lambda p: p.mean()).lower(params).cost_analysis())
    return params


def evaluate(params, held):
    total = 0.0
    for x, y in held:
        error = jax.jit(lambda p, a, b: loss_fn(p, a, b))  # want SAT802 "is a new function each time"
        total += error(params, x, y)
    return total


def epochs(params, state, batches, held):
    for epoch in range(10):
        for x, y in batches:
            params, state = update(params, state, x, y)
        print(evaluate(params, held))
