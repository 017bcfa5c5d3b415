from functools import partial

import jax


@partial(jax.jit, static_argnums=(1,))
def step(state, i):
    return state * i


@partial(jax.jit, static_argnames=("lr", "step"))
def named(state, lr, step):
    return state - lr * step


def plain(state, i):
    return state + i


def train(state, batches):
    fast = jax.jit(plain, static_argnums=1)
    for i in range(1000):
        state = step(state, i)  # want SAT808 "compiles step again for each value of i"
        state = fast(state, i)  # want SAT808 "compiles plain again"
    for index, batch in enumerate(batches):
        state = named(state, 0.1, step=index)  # want SAT808 "compiles named again"
    return state
