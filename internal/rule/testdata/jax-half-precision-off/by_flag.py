from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from absl import app, flags

DTYPE = flags.DEFINE_enum("dtype", "float32", ["float32", "bfloat16"], "Type that the layers compute in.")


class Net(nn.Module):
    dtype: Any

    @nn.compact
    def __call__(self, x):
        return nn.SelfAttention(8, dtype=self.dtype)(x)


def main(batches):
    model = Net(dtype=getattr(jnp, DTYPE.value))  # want SAT812 "told to compute in float32"
    params, tx = model.init(jax.random.key(0), batches[0]), optax.adam(1e-3)
    state = tx.init(params)

    @jax.jit
    def step(params, state, x):
        grads = jax.grad(lambda params: model.apply(params, x).mean())(params)
        updates, state = tx.update(grads, state)
        return optax.apply_updates(params, updates), state

    for x in batches:
        params, state = step(params, state, x)


if __name__ == "__main__":
    app.run(main)
