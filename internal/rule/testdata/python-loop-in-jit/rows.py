import jax
import jax.numpy as jnp


def loss_of(model, xs, ys):
    pred = jnp.stack([model(x) for x in xs])  # want SAT805 "for each row"
    return jnp.mean((pred - ys) ** 2)


def layers_of(layers, x):
    return jnp.stack([layer(x) for layer in layers])


@jax.jit
def step(model, layers, xs, ys):
    loss, grads = jax.value_and_grad(loss_of)(model, xs, ys)
    return loss, grads, layers_of(layers, xs)


def train(model, layers, batches):
    for xs, ys in batches:
        loss, grads, _ = step(model, layers, xs, ys)
