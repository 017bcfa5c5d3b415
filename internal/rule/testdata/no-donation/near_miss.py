import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


@jax.jit
def gradients(params, x):
    return jax.grad(loss_fn)(params, x)


@jax.jit
def train_step(params, x):
    return params - 0.1 * jax.grad(loss_fn)(params, x)


def train(params, batches):
    for x in batches:
        grads = gradients(params, x)
        params = params - 0.1 * grads
    return params


def compare(params, batches):
    for x in batches:
        before = params
        params = train_step(params, x)
        print(jnp.abs(params - before).max())
    return params
