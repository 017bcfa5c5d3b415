import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


@jax.jit  # want SAT804 "old state stays"
def decorated(x, params):
    return params - 0.1 * jax.grad(loss_fn)(params, x)


def train_decorated(params, batches):
    for x in batches:
        params = decorated(x, params)
    return params
