import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] - y) ** 2)


@jax.jit
def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def update_average(source, target, decay):
    for name, child in source.items():
        if isinstance(child, jax.Array):
            target[name] = source[name] + decay * (target[name] - source[name])  # want SAT801 "array by array"
        else:
            update_average(child, target[name], decay)


def nested(params, average, opt_state, batches):
    for x, y in batches:
        params, opt_state, loss = train_step(params, opt_state, x, y)
        update_average(params, average, 0.999)
    return average


def mapped(params, ema_params, opt_state, batches):
    for x, y in batches:
        params, opt_state, loss = train_step(params, opt_state, x, y)
        ema_params = jax.tree.map(lambda e, p: 0.999 * e + 0.001 * p, ema_params, params)  # want SAT801 "array by array"
    return ema_params


def by_optax(params, target_params, opt_state, batches):
    for x, y in batches:
        params, opt_state, loss = train_step(params, opt_state, x, y)
        target_params = optax.incremental_update(params, target_params, 0.005)  # want SAT801 "array by array"
    return target_params


@jax.jit
def compiled_average(average_params, params):
    return jax.tree.map(lambda e, p: 0.999 * e + 0.001 * p, average_params, params)


def fine(params, average_params, opt_state, batches):
    totals = {"loss": 0.0}
    for step, (x, y) in enumerate(batches):
        params, opt_state, loss = train_step(params, opt_state, x, y)
        average_params = compiled_average(average_params, params)
        totals = jax.tree.map(lambda a, b: a + b, totals, {"loss": loss})  # a few numbers
        if step % 1000 == 0:
            average_params = jax.tree.map(lambda e, p: 0.5 * e + 0.5 * p, average_params, params)
    return average_params, totals
