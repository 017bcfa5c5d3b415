"""The attention lab for PyTorch: time each part, find the bottleneck, try what helps, see what it costs in memory.

Tensors are (batch, heads, sequence, head width), as scaled_dot_product_attention wants them.
"""

from __future__ import annotations

import contextlib
import functools
import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from . import timing
from .roofline import format_profile, identify_bottleneck, profile_results
from .timing import Seconds
from .torch_device import cache_bytes, default_device, device_of, flush_bytes, is_out_of_memory, synchronize
from .torch_trace import allocated, backend, kernels_in, trace
from .work import LARGE, Case, copy_bytes

__all__ = [
    "benchmark_function",
    "profile_attention_components",
    "identify_bottleneck",
    "optimize_attention",
    "measure_memory_usage",
    "format_profile",
]

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
HEAD_START_CYCLES = 10_000_000  # about 5 ms: the host queues calls meanwhile, so that the device need not wait for it
LEVELS = ("baseline", "torch.compile", "scaled_dot_product_attention", "flash attention")


class Unavailable(Exception):
    """This machine, build or type cannot do what was asked; the message says why."""


def benchmark_function(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    warmup: int = 3,
    iterations: int = 30,
    *,
    cold: bool = False,
    device: torch.device | str | None = None,
    max_seconds: float = 10.0,
    flush: int | None = None,
) -> Seconds:
    """Times fn(*args): warmed up until steady, synchronised, every time kept.

    cold empties the caches before each call, so that operands come from memory as they do in a model that has
    touched much else meanwhile; without it they may still lie in the cache. On a GPU device_ms is measured by
    events round calls that are queued without waiting, so that the gaps between launches do not count.
    """
    device = torch.device(device) if device is not None else device_of(args)
    assert not isinstance(device, str)
    buffer = torch.empty(flush or flush_bytes(device), dtype=torch.int8, device=device) if cold else None

    def empty_caches() -> None:
        assert buffer is not None
        buffer.zero_()
        synchronize(device)

    def call() -> Any:
        return fn(*args)

    measured = timing.time_calls(
        call,
        lambda _: synchronize(device),
        empty_caches if cold else None,
        warmup=warmup,
        iterations=iterations,
        max_seconds=max_seconds,
        waiting_is_work=device.type == "cpu",
    )
    if device.type in ("cuda", "mps"):
        measured.device_ms = event_times(call, device, buffer, len(measured.wall_ms), measured.settling)
        measured.device_clock = "events"
    return Seconds(measured)


def event_times(
    call: Callable[[], Any], device: torch.device, buffer: torch.Tensor | None, iterations: int, settle: int = 0
) -> list[float]:
    """Milliseconds between two events on the device, before and behind each call, after so many that are not timed."""
    event = torch.cuda.Event if device.type == "cuda" else torch.mps.Event
    pairs = [(event(enable_timing=True), event(enable_timing=True)) for _ in range(iterations)]
    if device.type == "cuda":
        torch.cuda._sleep(HEAD_START_CYCLES)
    for _ in range(settle):
        if buffer is not None:
            buffer.zero_()
        call()
    for start, end in pairs:
        if buffer is not None:
            buffer.zero_()
        start.record()
        call()
        end.record()
    synchronize(device)
    return [start.elapsed_time(end) for start, end in pairs]


def components(case: Case, device: torch.device | str, seed: int = 0) -> Iterator[tuple[str, Callable[..., torch.Tensor], tuple[Any, ...]]]:
    """Each part of attention with random operands of its own, made when it is its turn.

    Everything is scaled to unit variance, since softmax of large scores is all zeros and ones, which is not what a
    model computes. Queries come divided by sqrt(head width), so that softmax need not scale.
    """
    generator = torch.Generator(device).manual_seed(seed)
    b, s, d, h, k = case.batch, case.seq, case.d_model, case.heads, case.head_dim

    def random(*shape: int, scale: float = 1.0) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=device, dtype=DTYPES[case.dtype]).mul_(scale)

    yield "qkv_projection", torch.matmul, (random(b, s, d), random(d, 3 * d, scale=d**-0.5))
    yield "scores", lambda q, key: torch.matmul(q, key.transpose(-2, -1)), (random(b, h, s, k, scale=k**-0.5), random(b, h, s, k))
    yield "softmax", lambda scores: torch.softmax(scores, dim=-1), (random(b, h, s, s),)
    yield "weighted_sum", torch.matmul, (random(b, h, s, s).softmax(dim=-1), random(b, h, s, k))
    yield "output_projection", torch.matmul, (random(b, s, d), random(d, d, scale=d**-0.5))


def large_products(dtype: str, device: torch.device | str, **options: Any) -> Iterator[dict[str, Any]]:
    """How fast the device multiplies matrices at best."""
    device = torch.device(device)
    for n in LARGE[device.type == "cpu"]:
        a, b = (torch.randn(n, n, device=device, dtype=DTYPES[dtype]) for _ in range(2))
        yield {"what": "gemm", "dtype": dtype, "m": n, "n": n, "k": n, "timing": benchmark_function(torch.matmul, (a, b), **options)}


def large_copy(device: torch.device | str, **options: Any) -> dict[str, Any]:
    """How fast the device reads and writes what is too large for its caches."""
    device = torch.device(device)
    size = copy_bytes(cache_bytes(device))
    source = torch.ones(size // 4, device=device)
    timing = benchmark_function(torch.empty_like(source).copy_, (source,), **options)
    return {"what": "copy", "dtype": None, "bytes": 2 * size, "timing": timing}


def profile_attention_components(
    seq_len: int,
    d_model: int,
    num_heads: int,
    *,
    batch: int = 8,
    dtype: str = "fp32",
    device: torch.device | str | None = None,
    cold: bool = True,
    **options: Any,
) -> dict[str, Any]:
    """Times the five parts of attention, each alone, beside what this machine can do at best.

    identify_bottleneck and format_profile take the result; profile_results says what is in it. options go to
    benchmark_function.
    """
    case = Case(batch, seq_len, d_model, num_heads, dtype)
    device = torch.device(device) if device is not None else default_device()
    roofs = [*large_products(dtype, device, **options), large_copy(device, **options)]
    measured = {name: benchmark_function(fn, args, cold=cold, **options) for name, fn, args in components(case, device)}
    return profile_results("torch", str(device), case, roofs, measured)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    """Attention as it is written on paper: three steps, and a matrix of scores in memory."""
    scores = torch.matmul(q, k.transpose(-2, -1)) * q.shape[-1] ** -0.5
    if causal:
        hidden = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return torch.matmul(torch.softmax(scores, dim=-1), v)


@contextlib.contextmanager
def only_flash() -> Iterator[None]:
    """Within it scaled_dot_product_attention may use flash attention and nothing else."""
    with warnings.catch_warnings(record=True) as told, sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        warnings.simplefilter("always")
        try:
            yield
        except RuntimeError as err:
            if not any(words in str(err) for words in ("No available kernel", "No viable backend")):
                raise
            raise Unavailable(" ".join([*reasons([str(w.message) for w in told]), str(err).split("\n")[0]])) from None


def reasons(warned: list[str]) -> list[str]:
    """Why torch did not take flash attention: it goes through all its backends and says for each why not."""
    out, flash = [], False
    for text in warned:
        text = text.split(" (Triggered")[0]
        if "kernel not used because" in text:
            flash = text.startswith("Flash")
        elif flash and text not in out:
            out.append(text)
    return out


def library(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)


@functools.cache
def compiled() -> Callable[..., torch.Tensor]:
    # fullgraph: an error where torch.compile would quietly fall back to what it should be compared with.
    return torch.compile(attention, dynamic=False, fullgraph=True)


def at_level(level: int, causal: bool = False) -> Callable[..., torch.Tensor]:
    """The function of q, k and v that a level stands for; level 3 is to be called within only_flash()."""
    if level not in range(len(LEVELS)):
        raise ValueError(f"unknown level {level}; use 0 to {len(LEVELS) - 1}: {', '.join(LEVELS)}")
    return functools.partial((attention, compiled(), library, library)[level], causal=causal)


def optimize_attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, optimization_level: int, *, causal: bool = False, strict: bool = False
) -> torch.Tensor:
    """Attention at a level: 0 baseline, 1 torch.compile, 2 scaled_dot_product_attention, 3 flash attention.

    Where flash attention is not available, as for float32 on a GPU, level 3 warns and does what level 2 does; strict
    raises Unavailable instead, for measurements.
    """
    if optimization_level != 3:
        return at_level(optimization_level, causal)(Q, K, V)
    try:
        with only_flash():
            return at_level(3, causal)(Q, K, V)
    except Unavailable as err:
        if strict:
            raise
        warnings.warn(f"flash attention is not available ({err}); level 2 is used instead", RuntimeWarning, stacklevel=2)
        return at_level(2, causal)(Q, K, V)


def measure_memory_usage(fn: Callable[..., Any], args: Sequence[Any] = (), *, device: torch.device | str | None = None) -> dict[str, Any]:
    """Memory of one call of fn(*args), which has been called once before so that libraries have their workspace.

    peak_bytes: all that was alive at the worst moment, operands included; current_bytes: while the result is still
    held; cached_bytes: what the allocator keeps from the device; extra_bytes: the peak less what was there before.
    On a CPU torch keeps no such books: the profiler's record of every allocation gives extra_bytes, the operands
    are added to it, and nothing is cached.
    """
    device = torch.device(device) if device is not None else device_of(args)
    assert not isinstance(device, str)
    fn(*args)
    synchronize(device)
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        result = fn(*args)
        synchronize(device)
        peak, current = torch.cuda.max_memory_allocated(device), torch.cuda.memory_allocated(device)
        cached, source = torch.cuda.memory_reserved(device), "torch.cuda"
    elif device.type == "mps":
        before = torch.mps.current_allocated_memory()
        result = fn(*args)
        synchronize(device)
        peak, current = None, torch.mps.current_allocated_memory()
        cached, source = torch.mps.driver_allocated_memory(), "torch.mps, which keeps no peak"
    else:
        before = sum(a.untyped_storage().nbytes() for a in args if isinstance(a, torch.Tensor))
        result = None
        peak, current = (before + extra for extra in allocated(trace(lambda: fn(*args), device, memory=True)))
        cached, source = None, "torch.profiler"
    del result
    extra = None if peak is None else peak - before
    return {"peak_bytes": peak, "current_bytes": current, "cached_bytes": cached, "extra_bytes": extra, "source": source}


def reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    """The same in float64, on the CPU afterwards; head by head, so that it fits where the attention itself did."""
    where = q.device if q.device.type == "cuda" else torch.device("cpu")
    out = torch.empty(q.shape, dtype=torch.float64)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            q1, k1, v1 = (t[b, h].to(where, torch.float64) for t in (q, k, v))
            out[b, h] = attention(q1, k1, v1, causal).cpu()
    return out


def errors(got: torch.Tensor, want: torch.Tensor) -> tuple[float, float]:
    """The largest error, and the same as a share of the largest value there should be."""
    where = got.device if got.device.type == "cuda" else torch.device("cpu")
    worst = float(torch.stack([(g.to(where, torch.float64) - w.to(where)).abs().max() for g, w in zip(got, want)]).max())
    if not math.isfinite(worst):
        raise ArithmeticError("the result has NaN or infinity")
    return worst, worst / float(want.abs().max())


def measure_level(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    level: int,
    want: torch.Tensor,
    *,
    causal: bool = False,
    cache: Sequence[str] = ("cold", "warm"),
    **options: Any,
) -> dict[str, Any]:
    """A level's times, memory, error against want (see reference) and the backend that really ran.

    options go to benchmark_function.
    """
    told = timing.empty_level(level, LEVELS[level])
    torch._dynamo.reset()  # a graph for this shape alone; and after eight shapes compiling would be refused
    fn, args = at_level(level, causal), (q, k, v)
    try:
        with only_flash() if level == 3 else contextlib.nullcontext():  # round all calls: it takes longer than some of them
            began = time.perf_counter()
            result = first_call(fn, args) if level == 1 else fn(*args)
            synchronize(q.device)
            told["first_ms"] = 1000 * (time.perf_counter() - began)
            told["max_abs_error"], told["max_rel_error"] = errors(result, want)
            del result
            told["memory"] = measure_memory_usage(fn, args)
            events = trace(lambda: fn(*args), q.device)
            told["backend"], told["evidence"] = backend(events, "compiled" if level == 1 else "eager")
            told |= kernels_in(events)
            for state in cache:
                told[state] = benchmark_function(fn, args, cold=state == "cold", **options).as_dict()
    except Unavailable as err:
        return told | {"skipped": f"{LEVELS[level]}: {err}"}
    return told


def first_call(fn: Callable[..., torch.Tensor], args: Sequence[torch.Tensor]) -> torch.Tensor:
    """The call that compiles. Without a compiler for this Python, the level is unavailable."""
    try:
        return fn(*args)
    except Exception as err:  # Dynamo, Inductor and Triton each have their own
        if is_out_of_memory(err):
            raise
        raise Unavailable(f"{type(err).__name__}: {' '.join(str(err).split())[:300]}") from None


def kernels_of(fn: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    """The kernels of a call and their occupancy, on a GPU."""
    device = device_of(args)
    return kernels_in(trace(lambda: fn(*args), device) if device.type == "cuda" else [])


def random_qkv(case: Case, device: torch.device | str, seed: int = 0) -> list[torch.Tensor]:
    generator = torch.Generator(device).manual_seed(seed)
    shape = (case.batch, case.heads, case.seq, case.head_dim)
    return [torch.randn(shape, generator=generator, device=device, dtype=DTYPES[case.dtype]) for _ in range(3)]
