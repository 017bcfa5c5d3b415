import random
from functools import partial

import jax


@partial(jax.jit, static_argnames=("rate", "log"))
def update(state, batch, rate, log=False):
    return state - rate * batch


def schedule(step):
    return 1e-3 * 0.999 ** step


def due(step):
    return step % 100 == 0


def train(state, batches):
    for step, batch in enumerate(batches):
        state = update(state, batch, rate=schedule(step), log=due(step))  # want SAT808 "compiles update again"
    return state


@partial(jax.jit, static_argnames=("width",))
def cropped(params, x, width):
    return params - 0.1 * jax.grad(lambda p: (x[:, :width] @ p[:width]).mean())(params)


def crops(params, batches):
    for x in batches:
        params = cropped(params, x, width=random.randint(32, 512))  # want SAT808 "for each value of random.randint"
        params = cropped(params, x, width=random.choice([64, 128]))
    return params


def accumulated(params, batches, parts):
    for number in range(1000):
        for _ in range(parts):
            params = cropped(params, next(batches), number)  # want SAT808 "for each value of number"
    return params
