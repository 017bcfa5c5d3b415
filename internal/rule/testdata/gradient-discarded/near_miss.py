import jax
import jax.numpy as jnp


def loss(params, batch):
    return jnp.mean(params["w"] * batch), batch


def train(params, batches, held_out, update):
    step = jax.value_and_grad(loss, has_aux=True)
    for batch in batches:
        (value, _), gradient = step(params, batch)
        params = update(params, gradient)
        valid, _ = loss(params, next(held_out))
        print(valid)
