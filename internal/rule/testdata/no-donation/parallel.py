import functools

import jax


def loss(params, batch):
    return (params * batch).mean()


def update(rng, state, batch, scale):
    value, gradient = jax.value_and_grad(loss)(state.params, batch)
    return state.apply_gradients(grads=gradient), value * scale


def train(state, batches, rng):
    step = functools.partial(update, scale=2.0)
    parallel = jax.pmap(step, axis_name="batch")  # want SAT804 "old state stays"
    for batch in batches:
        state, value = parallel(rng, state, batch)
    return state
