import jax
import jax.numpy as jnp
from jax import value_and_grad


def make(model):
    @value_and_grad
    def loss(params, batch):
        return jnp.mean(model.apply(params, batch))

    return loss


def plain(params, batch):
    return jnp.mean(params["w"] * batch)


def train(model, params, batches, held_out, update):
    loss = make(model)
    step = jax.value_and_grad(plain)
    for i, batch in enumerate(batches):
        value, gradient = loss(params, batch)
        params = update(params, gradient)
        if i % 100 == 0:
            valid, _ = loss(params, next(held_out))  # want SAT811 "thrown away"
            other, unused = step(params, next(held_out))  # want SAT811 "thrown away"
            print(valid, other)
