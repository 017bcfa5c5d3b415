from functools import partial

import jax
import jax.numpy as jnp
import optax
import soundfile


def loss_fn(params, x):
    return (x @ params).mean()


@partial(jax.jit, donate_argnums=0)
def step(params, x):
    return jax.tree.map(lambda p, g: p - g, params, jax.grad(loss_fn)(params, x))


def train(params, files):
    first = jnp.asarray(soundfile.read(files[0])[0])
    for path in files:
        x = jnp.asarray(soundfile.read(path)[0])  # want SAT127 "runs in the training loop"
        params = step(params, x)
    return params, first
