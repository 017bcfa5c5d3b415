import jax
import jax.numpy as jnp
import numpy as np


def loss_fn(params, x):
    return jnp.mean(x @ params)


@jax.jit
def train_step(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    return params - 0.1 * grads, loss


def train(params, batches):
    losses = []
    for step, x in enumerate(batches):
        params, loss = train_step(params, x)
        losses.append(float(loss))  # want SAT803 "float.loss. waits for the device in every step"
        losses.append(loss.item())  # want SAT803 "waits for the device"
        losses.append(np.asarray(loss))  # want SAT803 "waits for the device"
        print(f"step {step}: {loss}")  # want SAT803 "waits for the device"
        jax.block_until_ready(params)  # want SAT803 "waits for the device"
    return params, losses
