import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(x)


net = Net()
params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 64)))
tx = optax.adam(1e-3)
state = tx.init(params)


@jax.jit
def step(params, state, x, y):
    grads = jax.grad(lambda p: jnp.mean((net.apply(p, x) - y) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def accuracy(params, x, y):
    return (net.apply(params, x).argmax(-1) == y).mean()  # want SAT801 "net.apply is not compiled"


def show(params, x):
    return net.apply(params, x)


for epoch in range(10):
    for x, y in data("train"):
        params, state = step(params, state, x, y)
    print([accuracy(params, x, y) for x, y in data("test")])
show(params, x)
