from typing import Any

import flax.linen as nn
import jax.numpy as jnp


class Layer(nn.Module):
    width: int
    dtype: Any

    @nn.compact
    def __call__(self, x):
        h = nn.SelfAttention(8, dtype=self.dtype)(nn.LayerNorm()(x))
        return x + nn.Dense(self.width, dtype=self.dtype)(h)


class Net(nn.Module):
    cfg: Any

    @nn.compact
    def __call__(self, x):
        return Layer(self.cfg.width, jnp.dtype(self.cfg.dtype))(x)


class Mixed(nn.Module):
    cfg: Any

    @nn.compact
    def __call__(self, x):
        return nn.Dense(9, dtype=jnp.dtype(self.cfg.dtype))(nn.Dense(9)(x))
