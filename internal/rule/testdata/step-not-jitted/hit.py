import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)

def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] - y) ** 2)


def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)  # want SAT801 "not compiled"
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def train(params, batches):
    opt_state = optimizer.init(params)
    for x, y in batches:
        params, opt_state, loss = train_step(params, opt_state, x, y)
    return params


def inline(params, batches):
    for x, y in batches:
        grads = jax.grad(loss_fn)(params, x, y)  # want SAT801 "not compiled"
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return params
