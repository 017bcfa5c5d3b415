import jax
import optax


@jax.jit
def step(params, state, batch):
    gradients = jax.grad(loss)(params, batch)
    updates, state = tx.update(gradients, state)
    return optax.apply_updates(params, updates), state


def main(params, state, batches):
    for batch in batches:
        params, state = step(params, state, batch)
