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
