import os

import jax
import optax

os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"  # want SAT809 "tensor cores"
jax.config.update("jax_default_matmul_precision", "float32")  # want SAT809 "tensor cores"


@jax.jit
def step(params, state, batch):
    gradients = jax.grad(loss)(params, batch)
    updates, state = tx.update(gradients, state)
    return optax.apply_updates(params, updates), state


def train(params, state, batches):
    with jax.default_matmul_precision("float32"):  # want SAT809 "tensor cores"
        for batch in batches:
            params, state = step(params, state, batch)
    return params
