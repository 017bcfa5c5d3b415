"""The attention lab for JAX: time each part, find the bottleneck, try what helps, see what it costs in memory.

Arrays are (batch, sequence, heads, head width), as jax.nn.dot_product_attention wants them.
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from . import timing
from .jax_data import Operands, errors, random_qkv, reference
from .jax_device import Rewrite, cache_bytes, default_device, device_of, device_times, flush_bytes, flush_of, kernel_times, watched
from .roofline import format_profile, identify_bottleneck, profile_results
from .timing import Seconds
from .work import LARGE, Case, copy_bytes

__all__ = [
    "benchmark_function",
    "profile_attention_components",
    "identify_bottleneck",
    "optimize_attention",
    "measure_memory_usage",
    "format_profile",
    "random_qkv",
    "reference",
    "errors",
]

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
) -> Seconds:
    """Times fn(*args) after warming up until steady (which compiles it); every time is kept.

    JAX returns before the work is done; without block_until_ready this would time the queueing. cold empties the
    caches before each call. On a GPU device_ms is the time of the call's kernels, where CUPTI can be reached.
    """
    device = device or device_of(args)
    emptying = flush_of(flush or flush_bytes(device), device) if cold else None

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
        measured.device_ms = device_times(call, emptying, len(measured.wall_ms), measured.settling)
        measured.device_clock = "cupti" if measured.device_ms else None
    return Seconds(measured)


def components(case: Case, device: jax.Device | None = None, seed: int = 0) -> Iterator[tuple[str, Callable[..., jax.Array], tuple[Any, ...]]]:
    """Each part of attention, compiled, with its own random operands, made just before it runs.

    Everything is scaled to unit variance, since softmax of large scores is all zeros and ones, which is not what a
    model computes. Queries come divided by sqrt(head width), so that softmax need not scale. Scores are
    (batch, heads, sequence, sequence), and their operands are stored head by head too, as in the torch lab. The operands
    of softmax and of the weighted sum come from the parts before them, which are compiled already.
    """
    b, s, d, h, k = case.batch, case.seq, case.d_model, case.heads, case.head_dim
    random = Operands(case.dtype, device, seed)
    matmul, softmax = jax.jit(jnp.matmul), jax.jit(jax.nn.softmax)
    scores = jax.jit(lambda q, key: q @ key.swapaxes(-2, -1))
    yield "qkv_projection", matmul, (random(b, s, d), random(d, 3 * d, scale=d**-0.5))
    heads = random(b, h, s, k, scale=k**-0.5), random(b, h, s, k)
    yield "scores", scores, heads
    yield "softmax", softmax, (scores(*heads),)
    yield "weighted_sum", matmul, (softmax(scores(*heads)), random(b, h, s, k))
    yield "output_projection", matmul, (random(b, s, d), random(d, d, scale=d**-0.5))


def large_products(dtype: str, device: jax.Device | None = None, **options: Any) -> Iterator[dict[str, Any]]:
    """The fastest matrix product of the device."""
    device = device or default_device()
    matmul = jax.jit(jnp.matmul)
    random = Operands(dtype, device)
    for n in LARGE[device.platform == "cpu"]:
        timing = benchmark_function(matmul, (random(n, n), random(n, n)), **options)
        yield {"what": "gemm", "dtype": dtype, "m": n, "n": n, "k": n, "timing": timing}


def large_copy(device: jax.Device | None = None, **options: Any) -> dict[str, Any]:
    """The fastest copy that does not fit into the device's caches."""
    device = device or default_device()
    size = copy_bytes(cache_bytes(device))
    timing = benchmark_function(Rewrite(size, device), device=device, **options)  # XLA would remove a plain copy
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
    """Times the five parts of attention, each alone, and compares them with the machine's best.

    identify_bottleneck and format_profile take the result; profile_results says what is in it. options go to
    benchmark_function.
    """
    case = Case(batch, seq_len, d_model, num_heads, dtype)
    device = device or default_device()
    roofs = [*large_products(dtype, device, **options), large_copy(device, **options)]
    measured = {name: benchmark_function(fn, args, cold=cold, **options) for name, fn, args in components(case, device)}
    return profile_results("jax", str(device), case, roofs, measured)


def attention(q: jax.Array, k: jax.Array, v: jax.Array, causal: bool = False) -> jax.Array:
    """Attention by its definition: three steps, and a matrix of scores in memory."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * q.dtype.type(q.shape[-1] ** -0.5)  # JAX would convert a float on the device
    if causal:
        hidden = jnp.triu(jnp.ones((q.shape[1], k.shape[1]), bool), 1)
        scores = jnp.where(hidden, -jnp.inf, scores)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def at_level(level: int, causal: bool = False) -> Any:
    """The function of q, k and v that a level stands for."""
    if level not in range(len(LEVELS)):
        raise ValueError(f"unknown level {level}; use 0 to {len(LEVELS) - 1}: {', '.join(LEVELS)}")
    plain = functools.partial(attention, causal=causal)
    library = functools.partial(jax.nn.dot_product_attention, is_causal=causal)
    return (plain, jax.jit(plain), jax.jit(library), jax.jit(functools.partial(library, implementation="cudnn")))[level]


def optimize_attention(
    Q: jax.Array, K: jax.Array, V: jax.Array, optimization_level: int, *, causal: bool = False, strict: bool = False
) -> jax.Array:
    """Attention at a level: 0 op by op, 1 jax.jit, 2 jax.nn.dot_product_attention, 3 cuDNN's flash attention.

    Where cuDNN cannot do it, as on a CPU or for float32, level 3 warns and does what level 2 does; strict raises
    Unavailable instead, for measurements.
    """
    fn = at_level(optimization_level, causal)
    if optimization_level == 3:
        try:
            compile_cudnn(fn, (Q, K, V))
        except Unavailable as err:
            if strict:
                raise
            warnings.warn(f"cuDNN's flash attention is not available ({err}); level 2 is used instead", RuntimeWarning, stacklevel=2)
            fn = at_level(2, causal)
    return fn(Q, K, V)


def compile_cudnn(fn: Any, args: Sequence[jax.Array]) -> jax.stages.Compiled:
    """Makes sure that cuDNN really runs."""
    try:
        program = fn.lower(*args).compile()
    except Exception as err:  # JAX raises RuntimeError, ValueError and NotImplementedError, XLA its own
        raise Unavailable(" ".join(str(err).split())[:300]) from None
    if CUDNN not in program.as_text():
        raise Unavailable("XLA did not compile it to cuDNN's attention")
    return program


def measure_memory_usage(fn: Callable[..., Any], args: Sequence[Any] = ()) -> dict[str, Any]:
    """Memory of one call of fn(*args); fn may be what lower and compile made of it.

    For a compiled function the compiler's own plan: operands, result and temporaries, all held at once. For any other
    what the device, or on a CPU the process, took on while a second call ran (the first may compile); so too where that
    is more, since on a CPU libraries take memory that the plan does not know of. cached_bytes is what the allocator has
    taken from the device.
    """
    device = device_of(args)
    cached = (device.memory_stats() or {}).get("pool_bytes")
    operands = sum(a.nbytes for a in jax.tree.leaves(args) if isinstance(a, jax.Array))
    program = fn.lower(*args).compile() if hasattr(fn, "lower") else fn
    plan = program.memory_analysis() if hasattr(program, "memory_analysis") else None
    peak = source = None
    if plan is not None:
        current = plan.argument_size_in_bytes + plan.output_size_in_bytes - plan.alias_size_in_bytes
        peak, source = current + plan.temp_size_in_bytes, "compiled.memory_analysis"
    if plan is None or device.platform == "cpu":
        jax.block_until_ready(fn(*args))
        result, extra, seen = watched(lambda: fn(*args), device)
        if plan is None:
            current, source = operands + sum(a.nbytes for a in jax.tree.leaves(result)), seen
        if extra is not None and operands + extra > (peak or 0):
            peak, source = operands + extra, seen
    return {
        "peak_bytes": peak,
        "current_bytes": current,
        "cached_bytes": cached,
        "extra_bytes": None if peak is None else peak - operands,
        "source": source if peak is not None else f"{source}; the peak is unknown: it was too small to show in the process's memory",
    }


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
    program = None  # compiled once; calls of fn use it too
    began = time.perf_counter()
    try:
        if level == 3:
            program = compile_cudnn(fn, args)
        elif level > 0:
            program = fn.lower(*args).compile()
    except Unavailable as err:
        return told | {"skipped": f"{LEVELS[level]}: {err}"}
    result = jax.block_until_ready(fn(*args))
    told["first_ms"] = 1000 * (time.perf_counter() - began)
    told["max_abs_error"], told["max_rel_error"] = errors(result, want)
    del result
    told["memory"] = measure_memory_usage(program or fn, args)
    told["backend"], told["evidence"] = backend(program)
    told |= kernels_of(fn, args)
    for state in cache:
        told[state] = benchmark_function(fn, args, cold=state == "cold", **options).as_dict()
    return told


def backend(program: jax.stages.Compiled | None) -> tuple[str, list[str]]:
    """What ran, by the custom calls in the compiled program; op by op there is none."""
    if program is None:
        return "eager", []
    calls = sorted({part.split('"')[0] for part in program.as_text().split('custom_call_target="')[1:]})
    return "cudnn" if any(c.startswith(CUDNN) for c in calls) else "xla", calls


def kernels_of(fn: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    """The kernels of a call, on a GPU. CUPTI does not tell their occupancy here."""
    found = kernel_times(lambda: fn(*args)) if device_of(args).platform == "gpu" else None
    return {"kernels": [{"name": name, "us": 1000 * ms, "occupancy": None} for name, ms in found or []], "occupancy": None}
