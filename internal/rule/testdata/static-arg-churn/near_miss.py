from functools import partial

import jax


@partial(jax.jit, static_argnums=(1,))
def step(state, training, i=0):
    return state * i if training else state


@jax.jit
def traced(state, i):
    return state * i


def train(state):
    for i in range(1000):
        state = step(state, True, i)
        state = traced(state, i)
    for layer in range(4):
        state = step(state, layer)
    return state
