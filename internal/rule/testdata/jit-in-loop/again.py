"""Functions that are made, and so compiled, again and again, though not in a step itself."""

from functools import lru_cache, partial

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


def score(params, held):
    @jax.jit  # want SAT802 "error is a new function each time"
    def error(x, y):
        return loss_fn(params, x, y)

    return sum(error(x, y) for x, y in held)


def predictor(scale):
    return jax.jit(lambda p, x: scale * (x @ p))  # want SAT802 "is a new function each time"


def show(params, held, scale):
    predict = predictor(scale)
    return [predict(params, x) for x, _ in held]


def worst(params, held):
    each = jax.pmap(partial(loss_fn, params))  # want SAT802 "is a new function each time"
    return max(each(x, y) for x, y in held)


@lru_cache
def kept(scale):
    return jax.jit(lambda p, x: scale * (x @ p))


def at_start(params, x):
    return jax.jit(lambda p: p @ x)(params)


class Judge:
    def __init__(self, held):
        self.held = held
        self.error = jax.jit(lambda p, x, y: loss_fn(p, x, y))

    def __call__(self, params):
        return sum(self.error(params, x, y) for x, y in self.held)


def main(params, state, batches, held, rates):
    judge, compiled = Judge(held), None
    at_start(params, held[0][0])
    for epoch, rate in enumerate(rates):

        @partial(nnx.jit, donate_argnums=0)  # want SAT802 "decayed is a new function in each iteration"
        def decayed(p, x):
            return p * (1 - rate) + x.mean()

        if compiled is None:
            compiled = predictor(2.0)
        for x, y in batches():
            params, state = update(params, state, x, y)
            params = decayed(params, x)
        if epoch % 5 == 0:
            print(score(params, held), worst(params, held), judge(params))
        print(show(params, held, 0.5), kept(0.5)(params, held[0][0]), compiled(params, held[0][0]))
