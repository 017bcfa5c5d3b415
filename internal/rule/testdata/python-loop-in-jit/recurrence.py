"""Recurrences that JAX unrolls, in networks that only vmap calls and in functions that are compiled."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Cells(nn.Module):
    width: int
    depth: int

    @nn.compact
    def __call__(self, x):
        cells = [nn.LSTMCell(self.width) for _ in range(self.depth)]
        carry = [c.initialize_carry(jax.random.PRNGKey(0), x[:, 0].shape) for c in cells]
        batch, steps, _ = x.shape
        for t in range(steps):  # want SAT805 "as the array is long"
            h = x[:, t]
            for i, cell in enumerate(cells):
                carry[i], h = cell(carry[i], h)
        return h


class Layers(nn.Module):
    sizes: tuple

    @nn.compact
    def __call__(self, x):
        for i in range(len(self.sizes)):
            x = nn.relu(nn.Dense(self.sizes[i])(x)) + x
        return x


@jax.jit
def discounted(rewards, gamma):
    total = jnp.zeros(())
    for t in reversed(range(rewards.shape[0])):  # want SAT805 "as the array is long"
        total = rewards[t] + gamma * total
    return total


@jax.jit
def columns(x):
    parts = []
    for t in range(x.shape[1]):
        mean = x[:, t].mean()
        parts.append(mean)
    return jnp.stack(parts)


net, opt = Cells(8, 2), optax.adam(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: net.apply(p, x).mean())(params)
    updates, state = opt.update(grads, state)
    return optax.apply_updates(params, updates), state


def train(params, batches):
    state = opt.init(params)
    for x in batches:
        params, state = step(params, state, x)
    return params, Layers((8, 8)), discounted, columns
