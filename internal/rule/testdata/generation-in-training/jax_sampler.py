import functools

import jax
import jax.numpy as jnp


def denoise(state, x, t, scale):
    return x - scale * state.apply_fn(state.params, x, t)


def sample(state, shape, step):
    x = jnp.zeros(shape)
    for t in reversed(range(1000)):
        x = step(state, x, t)
    return x


def train(state, batches):
    parallel = jax.pmap(functools.partial(denoise, scale=0.1))

    @jax.jit
    def step(state, batch):
        value, gradient = jax.value_and_grad(lambda p: state.apply_fn(p, batch, 0).mean())(state.params)
        return state.apply_gradients(grads=gradient), value

    for i, batch in enumerate(batches):
        state, value = step(state, batch)
        if i % 1000 == 0:
            show(sample(state, (64, 8), parallel))  # want SAT706 "sample"


def show(x):
    print(x.shape)
