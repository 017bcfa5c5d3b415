from functools import partial

import jax

STEPS = 64


@jax.jit
def run(x):
    for _ in range(100):  # want SAT805 "100 iterations"
        x = x * 2 + 1
    return x


@partial(jax.jit, static_argnums=1)
def layers(x, f):
    for i in range(STEPS):  # want SAT805 "64 iterations"
        x = f(x)
    return x


def handed_on(x):
    for i in range(2, 20):  # want SAT805 "18 iterations"
        x += i
    return x


compiled = jax.jit(handed_on)
