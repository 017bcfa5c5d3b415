"""Rows of an array that a step computes one after the other, in functions that nothing compiles and in methods of a network."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Tagger(eqx.Module):
    cell: eqx.nn.GRUCell
    layers: list
    out: eqx.nn.Linear

    def states(self, frames):
        h = jnp.zeros(self.cell.hidden_size)
        kept = []
        for frame in frames:  # want SAT805 "as the array is long"
            h = self.cell(frame, h)
            kept.append(h)
        return jnp.stack(kept)

    def deepen(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def __call__(self, frames):
        return jax.vmap(self.out)(self.deepen(self.states(frames)))


def error(model, series, target):
    total = 0.0
    for one, wanted in zip(series, target):
        total += jnp.mean((model(one) - wanted) ** 2)
    return total


def simulated(model, series):
    total = 0.0
    for run in series:  # want SAT805 "one row of the array after the other"
        total += jnp.mean((model(run[0]) - run[1:]) ** 2)
    return total / len(series)


def penalty(weights):
    total = 0.0
    for w in weights:
        total += jnp.sum(w**2)
    return total


def blended(key, images, share):
    count = images.shape[0]
    order = jax.random.permutation(key, count)
    out = jnp.zeros_like(images)
    for row in range(count):  # want SAT805 "one row of the array after the other"
        out = out.at[row].set(share[row] * images[row] + (1 - share[row]) * images[order[row]])
    return out


@eqx.filter_jit
def predict(model, series):
    return jax.vmap(model)(series)


def train(model, batches, key, optimizer):
    state = optimizer.init(eqx.filter(model, eqx.is_array))
    for series, share in batches:
        series = blended(key, series, share)
        loss, grads = eqx.filter_value_and_grad(simulated)(model, series)
        updates, state = optimizer.update(grads, state, model)
        model = eqx.apply_updates(model, updates)
        print(penalty(jax.tree_util.tree_leaves(model)))
    return model
