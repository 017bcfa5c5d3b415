"""The attention lab for JAX: time each part, find the bottleneck, try what helps, see what it costs in memory.

Arrays are (batch, sequence, heads, head width), as jax.nn.dot_product_attention wants them.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from . import timing
from .jax_device import Flush, cache_bytes, default_device, device_of, device_times, enable_x64, flush_bytes, kernel_times
from .roofline import format_profile, identify_bottleneck, profile_results
from .timing import Timing
from .work import LARGE, Case, copy_bytes

__all__ = [
    "benchmark_function",
    "profile_attention_components",
    "identify_bottleneck",
    "optimize_attention",
    "measure_memory_usage",
    "format_profile",
]

DTYPES = {"fp32": jnp.float32, "fp16": jnp.float16, "bf16": jnp.bfloat16}
LEVELS = ("baseline, op by op", "jax.jit", "dot_product_attention", "cuDNN flash attention")
CUDNN = "__cudnn$fmha"  # what XLA calls for fused attention


class Unavailable(Exception):
    """This machine, build or type cannot do what was asked; the message says why."""


def benchmark_function(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    warmup: int = 3,
    iterations: int = 30,
    *,
    cold: bool = False,
    device: jax.Device | None = None,
    max_seconds: float = 10.0,
    flush: int | None = None,
) -> Timing:
    """Times fn(*args): warmed up until steady (which compiles it), waited for, every time kept.

    JAX returns before the work is done; without block_until_ready one would time the queueing. cold empties the
    caches before each call. On a GPU device_ms is the time of the call's kernels, where CUPTI can be reached.
    """
    device = device or device_of(args)
    emptying = Flush(flush or flush_bytes(device), device) if cold else None

    def call() -> Any:
        return fn(*args)

    measured = timing.time_calls(
        call,
        jax.block_until_ready,
        emptying.wait if emptying else None,
        warmup=warmup,
        iterations=iterations,
        max_seconds=max_seconds,
        waiting_is_work=device.platform == "cpu",
    )
    if device.platform == "gpu":
        measured.device_ms = device_times(call, emptying, len(measured.wall_ms))
        measured.device_clock = "cupti" if measured.device_ms else None
    return measured


def random_keys(seed: int, count: int) -> jax.Array:
    return jax.random.split(jax.random.key(seed, impl="rbg"), count)  # a generator that compiles quickly


@functools.partial(jax.jit, static_argnums=(1, 2))
def normal(key: jax.Array, shape: tuple[int, ...], dtype: Any, scale: float = 1.0) -> jax.Array:
    return (jax.random.normal(key, shape) * scale).astype(dtype)


def components(case: Case, device: jax.Device | None = None, seed: int = 0) -> Iterator[tuple[str, Callable[..., jax.Array], tuple]]:
    """Each part of attention, compiled, with random operands of its own, made when it is its turn.

    Everything is scaled to unit variance, since softmax of large scores is all zeros and ones, which is not what a
    model computes. Queries come divided by sqrt(head width), so that softmax need not scale. Scores are
    (batch, heads, sequence, sequence), and what they are made of lies head by head too, as in the torch lab.
    """
    b, s, d, h, k = case.batch, case.seq, case.d_model, case.heads, case.head_dim
    keys = iter(random_keys(seed, 9))

    def random(*shape: int, scale: float = 1.0) -> jax.Array:
        return jax.device_put(normal(next(keys), shape, DTYPES[case.dtype], scale), device)

    matmul = jax.jit(jnp.matmul)
    yield "qkv_projection", matmul, (random(b, s, d), random(d, 3 * d, scale=d**-0.5))
    yield "scores", jax.jit(lambda q, key: q @ key.swapaxes(-2, -1)), (random(b, h, s, k, scale=k**-0.5), random(b, h, s, k))
    yield "softmax", jax.jit(jax.nn.softmax), (random(b, h, s, s),)
    yield "weighted_sum", matmul, (jax.nn.softmax(random(b, h, s, s)), random(b, h, s, k))
    yield "output_projection", matmul, (random(b, s, d), random(d, d, scale=d**-0.5))


def large_products(dtype: str, device: jax.Device | None = None, **options: Any) -> Iterator[dict[str, Any]]:
    """How fast the device multiplies matrices at best."""
    device = device or default_device()
    matmul = jax.jit(jnp.matmul)
    for n in LARGE[device.platform == "cpu"]:
        a, b = (jax.device_put(normal(key, (n, n), DTYPES[dtype]), device) for key in random_keys(0, 2))
        yield {"what": "gemm", "dtype": dtype, "m": n, "n": n, "k": n, "timing": benchmark_function(matmul, (a, b), **options)}


def large_copy(device: jax.Device | None = None, **options: Any) -> dict[str, Any]:
    """How fast the device reads and writes what is too large for its caches."""
    device = device or default_device()
    size = copy_bytes(cache_bytes(device))
    source = jax.device_put(jnp.ones(size // 4, jnp.float32), device)
    timing = benchmark_function(jax.jit(lambda x: -x), (source,), **options)  # XLA would leave a mere copy out
    return {"what": "copy", "dtype": None, "bytes": 2 * size, "timing": timing}


def profile_attention_components(
    seq_len: int,
    d_model: int,
    num_heads: int,
    *,
    batch: int = 8,
    dtype: str = "fp32",
    device: jax.Device | None = None,
    cold: bool = True,
    **options: Any,
) -> dict[str, Any]:
    """Times the five parts of attention, each alone, beside what this machine can do at best.

    identify_bottleneck and format_profile take the result; profile_results says what is in it. options go to
    benchmark_function.
    """
    case = Case(batch, seq_len, d_model, num_heads, dtype)
    device = device or default_device()
    roofs = [*large_products(dtype, device, **options), large_copy(device, **options)]
    measured = {name: benchmark_function(fn, args, cold=cold, **options) for name, fn, args in components(case, device)}
    return profile_results("jax", str(device), case, roofs, measured)


def attention(q: jax.Array, k: jax.Array, v: jax.Array, causal: bool = False) -> jax.Array:
    """Attention as it is written on paper: three steps, and a matrix of scores in memory."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * jnp.asarray(q.shape[-1] ** -0.5, q.dtype)
    if causal:
        hidden = jnp.triu(jnp.ones((q.shape[1], k.shape[1]), bool), 1)
        scores = jnp.where(hidden, -jnp.inf, scores)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def at_level(level: int, causal: bool = False) -> Callable[..., jax.Array]:
    """The function of q, k and v that a level stands for."""
    if level not in range(len(LEVELS)):
        raise ValueError(f"there is no level {level}; they are 0 to {len(LEVELS) - 1}: {', '.join(LEVELS)}")
    plain = functools.partial(attention, causal=causal)
    library = functools.partial(jax.nn.dot_product_attention, is_causal=causal)
    return (plain, jax.jit(plain), jax.jit(library), jax.jit(functools.partial(library, implementation="cudnn")))[level]


def optimize_attention(Q: jax.Array, K: jax.Array, V: jax.Array, optimization_level: int, *, causal: bool = False) -> jax.Array:
    """Attention at a level: 0 op by op, 1 jax.jit, 2 jax.nn.dot_product_attention, 3 cuDNN's flash attention.

    Raises Unavailable where cuDNN cannot do it, as on a CPU or for float32.
    """
    fn = at_level(optimization_level, causal)
    if optimization_level == 3:
        compile_cudnn(fn, (Q, K, V))
    return fn(Q, K, V)


def compile_cudnn(fn: Callable[..., jax.Array], args: Sequence[jax.Array]) -> None:
    """Sees to it that cuDNN is really what runs."""
    try:
        text = fn.lower(*args).compile().as_text()
    except Exception as err:  # JAX raises RuntimeError, ValueError and NotImplementedError, XLA its own
        raise Unavailable(" ".join(str(err).split())[:300]) from None
    if CUDNN not in text:
        raise Unavailable("XLA compiled it to something else than cuDNN's attention")


def measure_memory_usage(fn: Callable[..., Any], args: Sequence[Any] = ()) -> dict[str, Any]:
    """Memory of one call of fn(*args).

    For a compiled function the compiler's own plan: operands, result and temporaries, all held at once. For any other
    the device's books, where it keeps some: JAX can never reset their peak, so it is known only when the call was the
    most that this process ever used. cached_bytes is what the allocator has taken from the device.
    """
    device = device_of(args)
    stats = device.memory_stats() or {}
    operands = sum(a.nbytes for a in jax.tree.leaves(args) if isinstance(a, jax.Array))
    if hasattr(fn, "lower"):
        plan = fn.lower(*args).compile().memory_analysis()
        kept = plan.argument_size_in_bytes + plan.output_size_in_bytes - plan.alias_size_in_bytes
        told = {"peak_bytes": kept + plan.temp_size_in_bytes, "current_bytes": kept, "source": "compiled.memory_analysis"}
    else:
        result = jax.block_until_ready(fn(*args))
        after = device.memory_stats() or {}
        risen = after.get("peak_bytes_in_use", 0) > stats.get("peak_bytes_in_use", 0)
        current = operands + sum(a.nbytes for a in jax.tree.leaves(result))
        # Other arrays that were alive are not the call's.
        peak = after["peak_bytes_in_use"] - (stats["bytes_in_use"] - operands) if risen else None
        told = {"peak_bytes": peak, "current_bytes": current, "source": "memory_stats" if risen else "sizes of operands and result"}
    peak = told["peak_bytes"]
    return told | {"cached_bytes": stats.get("pool_bytes"), "extra_bytes": None if peak is None else peak - operands}


def reference(q: jax.Array, k: jax.Array, v: jax.Array, causal: bool = False) -> jax.Array:
    """The same in float64, sample by sample and head by head, so that it fits where the attention itself did."""
    with enable_x64(True):

        def one(args: tuple[jax.Array, ...]) -> jax.Array:
            wide = (a.astype(jnp.float64)[None, :, None] for a in args)
            return attention(*wide, causal=causal)[0, :, 0]

        by_head = (a.swapaxes(1, 2).reshape(-1, a.shape[1], a.shape[3]) for a in (q, k, v))
        out = jax.jit(lambda args: jax.lax.map(one, args))(tuple(by_head))
        return out.reshape(q.shape[0], q.shape[2], q.shape[1], q.shape[3]).swapaxes(1, 2)


def errors(got: jax.Array, want: jax.Array) -> tuple[float, float]:
    """The largest error, and the same as a share of the largest value there should be."""
    with enable_x64(True):
        worst = float(jnp.abs(got.astype(jnp.float64) - want).max())
        if not math.isfinite(worst):
            raise ArithmeticError("the result holds values that are not finite")
        return worst, worst / float(jnp.abs(want).max())


def measure_level(
    q: jax.Array,
    k: jax.Array,
    v: jax.Array,
    level: int,
    want: jax.Array,
    *,
    causal: bool = False,
    cache: Sequence[str] = ("cold", "warm"),
    **options: Any,
) -> dict[str, Any]:
    """A level's times, memory, error against want (see reference) and the backend that really ran.

    options go to benchmark_function.
    """
    told = timing.empty_level(level, LEVELS[level])
    fn, args = at_level(level, causal), (q, k, v)
    try:
        if level == 3:
            compile_cudnn(fn, args)
    except Unavailable as err:
        return told | {"skipped": f"{LEVELS[level]}: {err}"}
    began = time.perf_counter()
    told["memory"] = measure_memory_usage(fn, args)  # first, while the peak may still rise
    result = jax.block_until_ready(fn(*args))
    told["first_ms"] = 1000 * (time.perf_counter() - began)
    told["max_abs_error"], told["max_rel_error"] = errors(result, want)
    del result
    told["backend"], told["evidence"] = backend(fn, args)
    told |= kernels_of(fn, args)
    for state in cache:
        told[state] = benchmark_function(fn, args, cold=state == "cold", **options).as_dict()
    return told


def backend(fn: Callable[..., Any], args: Sequence[jax.Array]) -> tuple[str, list[str]]:
    """What ran, by the custom calls in the compiled program."""
    if not hasattr(fn, "lower"):
        return "eager", []
    text = fn.lower(*args).compile().as_text()
    calls = sorted({part.split('"')[0] for part in text.split('custom_call_target="')[1:]})
    return "cudnn" if any(c.startswith(CUDNN) for c in calls) else "xla", calls


def kernels_of(fn: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    """The kernels of a call, on a GPU. CUPTI does not tell their occupancy here."""
    found = kernel_times(lambda: fn(*args)) if device_of(args).platform == "gpu" else None
    return {"kernels": [{"name": name, "us": 1000 * ms, "occupancy": None} for name, ms in found or []], "occupancy": None}


def random_qkv(case: Case, device: jax.Device | None = None, seed: int = 0) -> list[jax.Array]:
    shape = (case.batch, case.seq, case.heads, case.head_dim)
    return [jax.device_put(normal(key, shape, DTYPES[case.dtype]), device) for key in random_keys(seed, 3)]
