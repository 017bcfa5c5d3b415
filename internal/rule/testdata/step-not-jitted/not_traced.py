"""Functions that JAX cannot trace as they are: no repair."""
import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x):
    return jnp.mean(x @ params)


def given_optimizer(params, opt_state, x, optimizer):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)  # want SAT801 "not compiled"
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def given_function(params, x, criterion):
    loss, grads = jax.value_and_grad(lambda p: criterion(p, x))(params)  # want SAT801 "not compiled"
    return params - 0.1 * grads, criterion(params, x)


def asks(params, x, scale):
    grads = jax.grad(loss_fn)(params, x)  # want SAT801 "not compiled"
    if scale > 1:
        grads = grads / scale
    return params - 0.1 * grads


def has_a_mode(params, x, mean=True):
    grads = jax.grad(loss_fn)(params, x)  # want SAT801 "not compiled"
    return params - 0.1 * grads


def prints(params, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)  # want SAT801 "not compiled"
    print("loss", float(loss))
    return params - 0.1 * grads


def given_a_size(params, x, size):
    grads = jax.grad(lambda p: jnp.mean(x @ p.reshape(size, -1)))(params)  # want SAT801 "not compiled"
    return params - 0.1 * grads


def train(params, batches, optimizer, config):
    state = optimizer.init(params)
    for x in batches:
        params, state, loss = given_optimizer(params, state, x, optimizer)
    for x in batches:
        params, loss = given_function(params, x, loss_fn)
    for x in batches:
        params = asks(params, x, 2.0)
    for x in batches:
        params = has_a_mode(params, x)
    for x in batches:
        params = prints(params, x)
    for x in batches:
        params = given_a_size(params, x, config.size)
    return params
