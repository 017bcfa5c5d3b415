"""The device JAX computes on: which, what it is, and its own clock where CUPTI gives one."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import os
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import device as machine

if hasattr(jax, "enable_x64"):
    enable_x64: Any = jax.enable_x64
else:  # an older JAX
    import jax.experimental

    enable_x64 = jax.experimental.enable_x64

GPU_FLUSH, MIB = 256 << 20, 1 << 20
RESIDENT_LEAST = 16 * MIB  # growth below this may come from malloc rather than from the call
CUDA_L2_BYTES, CUDA_SM_COUNT = 38, 16  # of CUdevice_attribute
PLATFORMS = {"cuda": "cuda", "gpu": "cuda", "cpu": "cpu", "rocm": "rocm", "mps": "METAL"}


def default_device() -> jax.Device:
    return jax.devices()[0]


def choose_device(name: str) -> jax.Device:
    """The device of that name; "auto" is JAX's default."""
    if name == "auto":
        return default_device()
    kind, _, index = name.partition(":")
    try:
        found = jax.devices(PLATFORMS.get(kind, kind))
        return found[int(index or 0)]
    except (RuntimeError, ValueError, IndexError) as err:
        raise ValueError(f"jax cannot use the device {name!r}: {str(err).splitlines()[0]}") from None


def device_of(args: Sequence[Any]) -> jax.Device:
    """The device of the first array."""
    return next((next(iter(a.devices())) for a in jax.tree.leaves(args) if isinstance(a, jax.Array)), default_device())


def cuda_attribute(device: jax.Device, attribute: int) -> int | None:
    """An attribute of a GPU from the driver: JAX does not report the cache size."""
    if device.platform != "gpu":
        return None
    value = ctypes.c_int()
    try:
        done = ctypes.CDLL("libcuda.so.1").cuDeviceGetAttribute(ctypes.byref(value), attribute, device.local_hardware_id or 0)
    except (OSError, AttributeError):
        return None
    return value.value if done == 0 else None


def cache_bytes(device: jax.Device) -> int | None:
    """The size of the device's last-level cache."""
    return machine.cpu_cache_bytes() if device.platform == "cpu" else cuda_attribute(device, CUDA_L2_BYTES)


def flush_bytes(device: jax.Device) -> int:
    """Twice the last-level cache: writing so much leaves nothing of a call's operands in it."""
    return max(2 * (cache_bytes(device) or 64 << 20), GPU_FLUSH if device.platform != "cpu" else 0)


def set_precision(fp32: str, dtype: str = "fp32") -> None:
    """Whether float32 products may use TF32 ("tf32") or not ("ieee"); by default JAX uses it on a GPU and torch does not.

    Products of other types do not change.
    """
    jax.config.update("jax_default_matmul_precision", {"tf32": "tensorfloat32", "ieee": "float32"}[fp32] if dtype == "fp32" else None)


def describe(device: jax.Device) -> dict[str, Any]:
    """What the device is, in the words of the protocol."""
    total, free = machine.host_memory()
    name, capability = machine.cpu_name(), None
    kind = {"gpu": "cuda", "METAL": "mps"}.get(device.platform, device.platform)
    if device.platform == "gpu":
        name, capability = device.device_kind, getattr(device, "compute_capability", None)
        if "rocm" in getattr(device.client, "platform_version", ""):
            kind = "rocm"
        stats = device.memory_stats() or {}
        total = stats.get("bytes_limit")
        free = None if total is None else total - stats.get("bytes_in_use", 0)
    return {
        "framework_version": jax.__version__,
        "device": str(device),
        "type": kind,
        "name": name,
        "capability": capability,
        "sm_count": cuda_attribute(device, CUDA_SM_COUNT),
        "threads": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": total,
        "free_bytes": free,
        "llc_bytes": cache_bytes(device),
        "flush_bytes": flush_bytes(device),
    }


def is_out_of_memory(err: BaseException) -> bool:
    return isinstance(err, MemoryError) or "RESOURCE_EXHAUSTED" in str(err) or "out of memory" in str(err).lower()


def release_memory() -> None:
    """Frees compiled functions and their memory, so that each measurement starts in the same state."""
    jax.clear_caches()
    gc.collect()


def watched(call: Callable[[], Any], device: jax.Device) -> tuple[Any, int | None, str]:
    """The result of call(), the peak of the bytes it allocated, and how that was measured.

    JAX cannot reset the peak of a device. So the device is first filled up to that peak; then every allocation of the
    call raises it.
    """
    unknown = None, "sizes of operands and result"
    if device.platform == "cpu":
        forgotten, before = machine.forget_peak(), machine.resident("VmRSS")
        result = jax.block_until_ready(call())
        taken = machine.resident("VmHWM") - before, "resident memory of the process"
        return result, *(taken if forgotten and before and taken[0] >= RESIDENT_LEAST else unknown)
    books, filling = device.memory_stats() or {}, None
    with contextlib.suppress(Exception):  # if it does not fit, the call may still raise the peak
        room = books["peak_bytes_in_use"] - books["bytes_in_use"]
        filling = jax.block_until_ready(jnp.zeros((room // MIB + 1, MIB), jnp.int8, device=device))
        books = device.memory_stats()
    together = True
    try:
        result = jax.block_until_ready(call())
    except Exception:
        if filling is None:
            raise
        together = False
    if not together:  # here, where nothing of the failed call is alive any more
        del filling
        return jax.block_until_ready(call()), *unknown
    peak = (device.memory_stats() or {}).get("peak_bytes_in_use", 0)
    taken = peak - books.get("bytes_in_use", 0), "memory_stats"
    return result, *(taken if peak > books.get("peak_bytes_in_use", 0) else unknown)


def untimed(fn: Callable[..., Any], device: jax.Device, **how: Any) -> Any:
    """fn, compiled for a result that is not timed.

    On a GPU, XLA spends seconds trying kernels for each product and fusion. Timed code needs the best of them; for
    anything else the first is enough.
    """
    quick = {"compiler_options": {"xla_gpu_autotune_level": 0}} if device.platform == "gpu" else {}
    return jax.jit(fn, **how, **quick)


class Rewrite:
    """Reads and writes a large buffer in place, so that the result needs no new memory.

    It measures the memory bandwidth, and empties the caches.
    """

    def __init__(self, size: int, device: jax.Device) -> None:
        self.buffer = jax.device_put(np.zeros(max(1, size // 4), np.float32), device)
        # A separate program, which release_memory does not free.
        self.write = untimed(lambda b: b + np.float32(1), device, donate_argnums=0).lower(self.buffer).compile()
        self.counted = 0

    def __call__(self) -> jax.Array:
        self.buffer = self.write(self.buffer)
        return self.buffer

    def wait(self) -> None:
        self().block_until_ready()

    def kernels(self) -> int:
        """How many kernels it launches, asked until known; 0 if it cannot be known."""
        self.counted = self.counted or len(kernel_times(self) or [])
        return self.counted


@functools.lru_cache(maxsize=1)
def flush_of(size: int, device: jax.Device) -> Rewrite:
    """One for all measurements: compiling it takes longer than many of them."""
    return Rewrite(size, device)


def kernel_times(calls: Callable[[], Any]) -> list[tuple[str, float]] | None:
    """The kernels that calls() starts, with their milliseconds, by CUPTI; None where JAX was built without it.

    JAX has no events of its own. The profiler of its Mosaic GPU part is the one clock on the device that a program
    can read without writing a trace to disk.
    """
    try:
        from jax._src.lib import mosaic_gpu

        cupti = mosaic_gpu._mosaic_gpu_ext
        cupti._cupti_init()
    except Exception:  # this is not a public interface, and other tools may hold CUPTI
        return None
    try:
        jax.block_until_ready(calls())
    finally:
        try:
            found = [(str(name), float(ms)) for name, ms in cupti._cupti_get_timings(True)]
        except Exception:
            found = []
    return found or None


def device_times(call: Callable[[], Any], flush: Rewrite | None, iterations: int, settle: int = 0) -> list[float] | None:
    """Milliseconds of kernels in each of several calls, without those that empty the caches; None if unknown.

    Some untimed calls come first.
    """

    def repeatedly(times: int = iterations) -> Any:
        result = None
        for _ in range(times):
            if flush is not None:
                flush()
            result = call()  # the previous one is freed: all of them may not fit into memory
        return result

    flushing = 0 if flush is None else flush.kernels()
    if flush is not None and not flushing:
        return None
    jax.block_until_ready(repeatedly(settle))
    found = kernel_times(repeatedly)
    if found is None or len(found) % iterations or len(found) // iterations <= flushing:
        return None
    each = len(found) // iterations
    if any(found[i][0] != found[i % each][0] for i in range(len(found))):
        return None  # the calls did not launch the same kernels in the same order
    return [sum(ms for _, ms in found[i + flushing : i + each]) for i in range(0, len(found), each)]
