import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


def train_step(state, x):
    loss, grads = jax.value_and_grad(loss_fn)(state, x)
    return state - 0.1 * grads, loss


def train(state, batches):
    step = jax.jit(train_step)  # want SAT804 "old state stays"
    for x in batches:
        state, loss = step(state, x)
    return state
