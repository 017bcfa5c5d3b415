"""The old state is held by another name, and would be deleted under it: nothing to donate."""
import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


def train_step(state, x):
    loss, grads = jax.value_and_grad(loss_fn)(state, x)
    return state - 0.1 * grads, loss


def best(state, batches):
    step = jax.jit(train_step)
    kept, lowest = None, 1e9
    for x in batches:
        state, loss = step(state, x)
        if loss < lowest:
            kept, lowest = state, loss
    return kept


def averaged(state, batches):
    step = jax.jit(train_step)
    average = state
    for x in batches:
        state, loss = step(state, x)
        average = jax.tree.map(lambda a, s: 0.9 * a + 0.1 * s, average, state)
    return average


def gathered(state, batches):
    step = jax.jit(train_step)
    states = []
    for x in batches:
        state, loss = step(state, x)
        states.append(state)
    return states
