"""The same layers in JAX, with the precision of torch's autocast: float32 weights and sums, products in the lower type."""

from __future__ import annotations

import functools
import time
from typing import Any

import jax
import numpy as np

from .jax_attention import benchmark_function, measure_memory_usage
from .jax_data import DTYPES, normal
from .layers import LayerSpec, Variant


class Init:
    """Random weights and inputs."""

    def __init__(self, spec: LayerSpec, seed: int) -> None:
        self.spec, self.random = spec, np.random.default_rng(seed)

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        return normal(self.random, shape, scale=scale)

    def dense(self, rows: int, columns: int, bias: bool = True) -> dict[str, np.ndarray]:
        weights = {"w": self.normal(rows, columns, scale=rows**-0.5)}
        return weights | {"b": np.zeros(columns, np.float32)} if bias else weights

    def norm(self) -> dict[str, np.ndarray]:
        return {"scale": np.ones(self.spec.d_model, np.float32), "bias": np.zeros(self.spec.d_model, np.float32)}

    def attention(self) -> dict[str, Any]:
        d = self.spec.d_model
        return {name: self.dense(d, d, bias=name != "key") for name in ("query", "key", "value", "out")}

    def layer(self) -> dict[str, Any]:
        d, f = self.spec.d_model, self.spec.ffn
        params = {"norm": self.norm(), "attention": self.attention(), "mlp_norm": self.norm(), "up": self.dense(d, f), "down": self.dense(f, d)}
        return params | {"cross_norm": self.norm(), "cross_attention": self.attention()} if self.spec.cross else params


def apply_norm(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p["scale"] + p["bias"]


def apply_dense(p: dict[str, jax.Array], x: jax.Array, dtype: Any) -> jax.Array:
    y = x.astype(dtype) @ p["w"].astype(dtype)
    return y + p["b"].astype(dtype) if "b" in p else y


def apply_attention(p: dict[str, Any], x: jax.Array, source: jax.Array, heads: int, causal: bool, dtype: Any) -> jax.Array:
    q, k, v = (apply_dense(p[name], t, dtype) for name, t in (("query", x), ("key", source), ("value", source)))
    q, k, v = (t.reshape(*t.shape[:2], heads, -1) for t in (q, k, v))
    y = jax.nn.dot_product_attention(q, k, v, is_causal=causal)
    return apply_dense(p["out"], y.reshape(x.shape), dtype)


def apply_layer(p: dict[str, Any], x: jax.Array, memory: jax.Array | None, *, heads: int, causal: bool, dtype: Any) -> jax.Array:
    normal = apply_norm(p["norm"], x)
    x = x + apply_attention(p["attention"], normal, normal, heads, causal, dtype)
    if memory is not None:
        x = x + apply_attention(p["cross_attention"], apply_norm(p["cross_norm"], x), memory, heads, False, dtype)
    hidden = jax.nn.gelu(apply_dense(p["up"], apply_norm(p["mlp_norm"], x), dtype), approximate=False)
    return x + apply_dense(p["down"], hidden, dtype)


def measure_layer(spec: LayerSpec, variant: Variant, device: jax.Device, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Time and memory of one way to run a stack of layers; options go to benchmark_function."""
    init = Init(spec, seed)
    params = [init.layer() for _ in range(spec.depth)]
    x, gradient = (init.normal(spec.batch, spec.seq, spec.d_model) for _ in range(2))
    memory = init.normal(spec.batch, spec.memory_seq or 0, spec.d_model) if spec.cross else None
    layer = functools.partial(apply_layer, heads=spec.heads, causal=spec.causal, dtype=DTYPES[variant.precision])
    if variant.checkpoint:
        layer = jax.checkpoint(layer)

    def forward(params: list[Any], x: jax.Array, memory: jax.Array | None) -> jax.Array:
        for p in params:
            x = layer(p, x, memory)
        return x

    def backward(params: list[Any], x: jax.Array, memory: jax.Array | None, gradient: jax.Array) -> Any:
        return jax.vjp(forward, params, x, memory)[1](gradient)

    step, args = (jax.jit(backward), (params, x, memory, gradient)) if variant.backward else (jax.jit(forward), (params, x, memory))
    args = jax.device_put(args, device)
    began = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = 1000 * (time.perf_counter() - began)
    told = measure_memory_usage(step, args)
    told["held_bytes"] = held(forward, args[:3]) if variant.backward else None
    return {
        "parameters": sum(leaf.size for leaf in jax.tree.leaves(params)),
        "first_ms": first,
        "memory": told,
        "warm": benchmark_function(step, args, device=device, **options).as_dict(),
    }


def held(forward: Any, args: tuple[Any, ...]) -> int:
    """Bytes that a forward pass keeps for the backward pass, without weights and inputs."""
    traced = jax.make_jaxpr(lambda *a: jax.tree.leaves(jax.vjp(forward, *a)[1]))(*args).jaxpr
    inputs = {id(v) for v in traced.invars}
    kept = {id(v): v.aval.size * v.aval.dtype.itemsize for v in traced.outvars if id(v) not in inputs}
    return sum(kept.values())
