# The function that takes the gradient is made in the loop, or handed out by another.
import equinox as eqx
import jax
import jax.numpy as jnp


def loss_fn(params, x):
    return jnp.mean(x @ params)


def train(params, batches):
    history = []
    for x in batches:
        gradient = eqx.filter_jit(eqx.filter_value_and_grad(lambda p, y: loss_fn(p, y)))
        loss, grads = gradient(params, x)
        params = params - 0.1 * grads
        history.append(loss.item())  # want SAT803 "waits for the device"
    return params


def again(params, batches, shown):
    for x in batches:
        gradient = jax.value_and_grad(loss_fn)
        loss, grads = gradient(params, x)
        params = params - 0.1 * grads
        shown.append(float(loss))  # want SAT803 "waits for the device"
        shown.append(float(shown[0]))
    return params
