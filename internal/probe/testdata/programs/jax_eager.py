"""A JAX loop that compiles no step: the gradient is made anew in each, and the last batch is smaller."""

import jax
import jax.numpy as jnp
import numpy as np
from planted import STEPS, step_over, work


def slow(x):
    work("forward")
    return x


def loss_of(w, batch):
    loss = ((batch @ w) ** 2).mean()
    return jax.pure_callback(slow, jax.ShapeDtypeStruct((), jnp.float32), jax.lax.stop_gradient(loss)) * 0 + loss


@jax.jit
def learned(w):  # the gradient in here is part of a compiled function, and called once
    return jax.grad(lambda w: (w**2).sum())(w)


w = learned(jnp.ones(8))
for step in range(STEPS):
    batch = np.ones((4 if step % 5 < 4 else 2, 8), np.float32)
    loss, grad = jax.value_and_grad(loss_of)(w, batch)
    w = w - 0.1 * grad
    step_over()
    jax.block_until_ready(loss)
    work("between")
