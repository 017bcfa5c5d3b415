import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


step = jax.jit(jax.grad(loss_fn))


def train(params, batches, shapes):
    compiled = jax.jit(lambda p, x: loss_fn(p, x))
    cache = {}
    for x in batches:
        params = params - step(params, x) * compiled(params, x)
        params = params - jax.jit(loss_fn)(params, x)  # the same function is found again
        if x.shape not in cache:
            cache[x.shape] = jax.jit(lambda p: p * 2)
    return params


def make():
    return jax.jit(lambda x: x + 1)
