"""A JAX loop: a small function called a few times first, then a training step under jit."""

import jax
import jax.numpy as jnp
import numpy as np
from planted import STEPS, step_over, work


def slow(x):
    work("forward")
    return x


@jax.jit
def initialise(key):
    return jax.random.normal(key, (8,))


@jax.jit
def train_step(state, batch):
    def loss_of(w):
        return ((batch @ w) ** 2).mean()

    loss, grad = jax.value_and_grad(loss_of)(state["w"])
    loss = jax.pure_callback(slow, jax.ShapeDtypeStruct((), jnp.float32), loss)
    return {"w": state["w"] - 0.1 * grad, "m": state["m"] * 0.9 + grad}, loss


for i in range(3):
    w = initialise(jax.random.key(i))
state = {"w": w, "m": w * 0}
for _ in range(STEPS):
    batch = np.ones((4, 8), np.float32)
    state, loss = train_step(state, batch)
    step_over()
    jax.block_until_ready(loss)
    work("between")
