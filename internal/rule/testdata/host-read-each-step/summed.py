import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


@jax.jit
def train_step(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return params - 0.1 * grads, loss


def train(params, batches):
    total = 0.0
    for x in batches:
        params, loss = train_step(params, x)
        total += float(loss)  # want SAT803 "float.loss. waits for the device in every step"
    return params, total / len(batches)
