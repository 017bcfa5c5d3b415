from typing import Any

import flax.linen as nn
import jax.numpy as jnp


class Net(nn.Module):
    width: int
    dtype: Any = jnp.bfloat16

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.width, (3, 3), dtype=self.dtype)(x).mean((1, 2))
        return nn.Dense(10, dtype=jnp.float32)(x)
