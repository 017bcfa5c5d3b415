import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x, noise):
    return ((x + noise) @ params).mean()


def train(params, loader, table):
    rng = np.random.default_rng(3)
    start = jnp.asarray(rng.standard_normal((4, 4)))
    for x in loader:
        noise = jnp.asarray(0.1 * rng.standard_normal(x.shape).astype(np.float32))  # want SAT312 "draws on the host"
        loss, grads = jax.value_and_grad(loss_fn)(params, jnp.asarray(x), noise)
        params = params - grads
    return params, start
