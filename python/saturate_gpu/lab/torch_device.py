"""The device torch computes on: which, what it is, and how to wait for it."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import torch

from . import device as machine

GPU_FLUSH = 256 << 20  # what triton's do_bench writes; more where the cache asks for it


def default_device() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def cache_bytes(device: torch.device) -> int | None:
    """The size of the device's last-level cache."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).L2_cache_size
    return machine.cpu_cache_bytes()


def flush_bytes(device: torch.device) -> int:
    """Twice the last-level cache: writing so much leaves nothing of a call's operands in it."""
    return max(2 * (cache_bytes(device) or 64 << 20), GPU_FLUSH if device.type != "cpu" else 0)


def set_precision(fp32: str, _: str = "fp32") -> None:
    """Whether float32 products may use TF32 ("tf32"), which is faster and keeps 10 bits of the mantissa, or not ("ieee")."""
    torch.set_float32_matmul_precision("high" if fp32 == "tf32" else "highest")


def synchronize(device: torch.device) -> None:
    """Waits until the device has finished its queue: a call returns before its work is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def device_of(args: Sequence[Any]) -> torch.device:
    """The device of the first tensor."""
    return next((a.device for a in args if isinstance(a, torch.Tensor)), default_device())


def choose_device(name: str) -> torch.device:
    """The device of that name; "auto" is a GPU if there is one."""
    if name == "auto":
        return default_device()
    try:
        device = torch.empty(1, device=name).device  # with its index, which set_device asks for
    except (RuntimeError, AssertionError, NotImplementedError) as err:
        raise ValueError(f"torch cannot use the device {name!r}: {str(err).splitlines()[0].split('. ')[0]}") from None
    if device.type == "cuda":
        torch.cuda.set_device(device)  # events and streams are those of the current device
    return device


def describe(device: torch.device) -> dict[str, Any]:
    """What the device is, in the words of the protocol."""
    total, free = machine.host_memory()
    name, capability, sm_count = machine.cpu_name(), None, None
    kind = device.type
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        name, sm_count = properties.name, properties.multi_processor_count
        capability = f"{properties.major}.{properties.minor}"
        free, total = torch.cuda.mem_get_info(device)
        if torch.version.hip:
            kind = "rocm"
    return {
        "framework_version": torch.__version__,
        "device": str(device),
        "type": kind,
        "name": name,
        "capability": capability,
        "sm_count": sm_count,
        "threads": torch.get_num_threads(),
        "memory_bytes": total,
        "free_bytes": free,
        "llc_bytes": cache_bytes(device),
        "flush_bytes": flush_bytes(device),
    }


def is_out_of_memory(err: BaseException) -> bool:
    text = str(err)
    return isinstance(err, (MemoryError, torch.OutOfMemoryError)) or "out of memory" in text or "can't allocate memory" in text


def release_memory() -> None:
    """Frees the allocator's cache, so that each measurement starts in the same state."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
