import flax
import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, x, scale, table):
    return scale * jnp.mean((x @ params + table) ** 2)


@jax.jit
def train_step(params, x, scale, table):
    return params - 0.1 * jax.grad(loss_of)(params, x, scale, table)


def train(params, batches, config):
    table = np.linspace(0, 1, 512)
    rate = 1.0
    for x in batches:
        scale = flax.jax_utils.replicate(config.scale)  # want SAT318 "copies the same value"
        positions = jnp.asarray(table)  # want SAT318 "copies the same value"
        params = train_step(params, x, scale, positions)
    return params


def changed(params, batches, config):
    rate = 1.0
    for x in batches:
        rate = rate * 0.99
        x = jax.device_put(x)
        scale = flax.jax_utils.replicate(rate)
        params = train_step(params, x, scale, 0.0)
    return params
