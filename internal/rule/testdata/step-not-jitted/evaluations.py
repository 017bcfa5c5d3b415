"""Evaluations that run op by op: networks of equinox and nnx, by themselves, by vmap and through the loss."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Net(eqx.Module):
    layer: eqx.nn.Linear

    def __call__(self, x):
        return self.layer(x)


def loss_fn(net, x, y):
    return ((jax.vmap(net)(x) - y) ** 2).mean()


@eqx.filter_jit
def update(net, state, x, y, opt):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(net, x, y)
    updates, state = opt.update(grads, state)
    return eqx.apply_updates(net, updates), state, loss


def by_loss(net, held):
    return sum(loss_fn(net, x, y) for x, y in held)  # want SAT801 "loss_fn is not compiled"


def by_samples(held, key):
    net = Net(eqx.nn.Linear(3, 1, key=key))
    right = 0
    for x, y in held:
        right += (jax.vmap(net)(x) == y).sum()  # want SAT801 "not compiled"
    return right


quick = eqx.filter_jit(loss_fn)


def by_compiled(net, held):
    return sum(quick(net, x, y) for x, y in held)


def train(batches, held, key):
    net, opt = Net(eqx.nn.Linear(3, 1, key=key)), optax.adam(1e-3)
    state = opt.init(eqx.filter(net, eqx.is_array))
    for epoch in range(100):
        for x, y in batches():
            net, state, loss = update(net, state, x, y, opt)
        print(by_loss(net, held), by_samples(held, key), by_compiled(net, held))
