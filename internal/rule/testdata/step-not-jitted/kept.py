import jax
import jax.numpy as jnp
import optax


def loss_of(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


tx = optax.adam(1e-3)
gradient = jax.value_and_grad(loss_of)
compiled = jax.jit(jax.value_and_grad(loss_of))


def plain(params, batches):
    state = tx.init(params)
    for x, y in batches:
        loss, grads = gradient(params, x, y)  # want SAT801 "not compiled"
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)
    return params


def half(params, batches):
    state = tx.init(params)
    for x, y in batches:
        loss, grads = compiled(params, x, y)
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)  # want SAT801 "the optimizer's update is not compiled"
    return params


@jax.jit
def whole(params, state, x, y):
    loss, grads = gradient(params, x, y)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def compiled_whole(params, batches):
    state = tx.init(params)
    for x, y in batches:
        params, state = whole(params, state, x, y)
    return params
