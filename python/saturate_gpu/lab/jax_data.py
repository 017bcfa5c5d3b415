"""What goes into the JAX lab and what should come out: random operands, and attention in float64 to compare with.

Nothing here is timed, so as little as possible is compiled: on a GPU each small program costs XLA as much as a part
of attention does.
"""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from .jax_device import device_of, enable_x64, untimed
from .work import Case

DTYPES = {"fp32": jnp.float32, "fp16": jnp.float16, "bf16": jnp.bfloat16}
PERIOD = 1_000_003  # random numbers that are drawn at most; a prime, so that no two rows of a matrix are alike


def normal(random: np.random.Generator, shape: tuple[int, ...], dtype: str = "fp32", scale: float = 1.0) -> np.ndarray:
    """Random numbers made on the host, which needs no compiled program per shape; a large array repeats them."""
    drawn = scale * random.standard_normal(min(math.prod(shape), PERIOD), np.float32)
    return np.resize(drawn.astype(DTYPES[dtype]), shape)


class Operands:
    """Random arrays of one type on one device."""

    def __init__(self, dtype: str, device: jax.Device | None = None, seed: int = 0) -> None:
        self.dtype, self.device, self.random = dtype, device, np.random.default_rng(seed)

    def __call__(self, *shape: int, scale: float = 1.0) -> jax.Array:
        return jax.device_put(normal(self.random, shape, self.dtype, scale), self.device)


def random_qkv(case: Case, device: jax.Device | None = None, seed: int = 0) -> list[jax.Array]:
    random = Operands(case.dtype, device, seed)
    return [random(case.batch, case.seq, case.heads, case.head_dim) for _ in range(3)]


def reference(q: jax.Array, k: jax.Array, v: jax.Array, causal: bool = False) -> jax.Array:
    """Attention in float64, sample by sample and head by head, so that it fits where the attention itself did."""
    with enable_x64(True):
        return untimed(functools.partial(attention64, causal=causal), device_of((q,)))(q, k, v)


def attention64(q: jax.Array, k: jax.Array, v: jax.Array, causal: bool) -> jax.Array:
    def one(args: tuple[jax.Array, ...]) -> jax.Array:
        q, k, v = (a.astype(jnp.float64) for a in args)
        scores = q @ k.T * q.shape[-1] ** -0.5
        if causal:
            scores = jnp.where(jnp.triu(jnp.ones(scores.shape, bool), 1), -jnp.inf, scores)
        return jax.nn.softmax(scores) @ v

    by_head = tuple(a.swapaxes(1, 2).reshape(-1, a.shape[1], a.shape[3]) for a in (q, k, v))
    out = jax.lax.map(one, by_head)
    return out.reshape(q.shape[0], q.shape[2], q.shape[1], q.shape[3]).swapaxes(1, 2)


def errors(got: jax.Array, want: jax.Array) -> tuple[float, float]:
    """The largest error, absolute and relative to the largest expected value."""
    with enable_x64(True):
        worst, largest = (float(a) for a in untimed(differences, device_of((got,)))(got, want))
    if not math.isfinite(worst):
        raise ArithmeticError("the result has NaN or infinity")
    return worst, worst / largest


def differences(got: jax.Array, want: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jnp.abs(got.astype(jnp.float64) - want).max(), jnp.abs(want).max()
