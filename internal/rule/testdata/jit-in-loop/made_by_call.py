import equinox as eqx
import jax
import optax


def loss_fn(model, x):
    return (jax.vmap(model)(x) ** 2).mean()


def make_update(optimizer):
    def update(model, state, x):
        grads = eqx.filter_grad(loss_fn)(model, x)
        updates, state = optimizer.update(grads, state)
        return eqx.apply_updates(model, updates), state

    return update


def train(model, batches):
    optimizer = optax.adam(1e-3)
    state = optimizer.init(model)
    kept = eqx.filter_jit(make_update(optimizer))
    for x in batches:
        model, state = eqx.filter_jit(make_update(optimizer))(model, state, x)  # want SAT802 "is a new function each time"
        model, state = kept(model, state, x)
    return model
