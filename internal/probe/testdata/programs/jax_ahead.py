"""A JAX loop that asks for steps without waiting for any, and evaluates after each epoch: with a compiled function whose arguments are larger."""

import jax
import jax.numpy as jnp
import numpy as np
from planted import STEPS

EPOCHS = 3


@jax.jit
def train_step(w, batch):
    return w - 1e-6 * jax.grad(lambda w: jnp.tanh(batch @ w).sum())(w)


@jax.jit
def accuracy(w, everything):
    return jnp.tanh(everything @ w).mean()


w = jnp.ones((256, 256))
batch, everything = np.ones((64, 256), np.float32), np.ones((20000, 256), np.float32)
for _ in range(EPOCHS):
    for _ in range(STEPS // EPOCHS):
        w = train_step(w, batch)
    print(float(accuracy(w, everything)))
