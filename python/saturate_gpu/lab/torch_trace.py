"""What torch.profiler saw of one call: kernels and their occupancy, the backend that ran, every allocation."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from .torch_device import synchronize

# The operator that scaled_dot_product_attention calls shows the backend.
BACKENDS = {
    "aten::_scaled_dot_product_flash_attention": "flash",
    "aten::_scaled_dot_product_flash_attention_for_cpu": "flash-cpu",
    "aten::_scaled_dot_product_efficient_attention": "efficient",
    "aten::_scaled_dot_product_cudnn_attention": "cudnn",
    "aten::_scaled_dot_product_fused_attention_overrideable": "fused",
    "aten::_scaled_dot_product_attention_math": "math",
    "aten::_scaled_dot_product_attention_math_for_mps": "math",
}


def trace(call: Callable[[], Any], device: torch.device, memory: bool = False) -> list[dict[str, Any]]:
    """The events of one call as torch.profiler saw them, its result still held at the end."""
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device.type == "cuda" else [])
    synchronize(device)
    with profile(activities=activities, profile_memory=memory, acc_events=True) as profiler:
        result = call()
        synchronize(device)
    del result
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        return json.loads(path.read_text())["traceEvents"]


def kernels(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The kernels of a trace with their time and the profiler's estimate of occupancy."""
    out = []
    for event in events:
        if event.get("cat") == "kernel":
            percent = event.get("args", {}).get("est. achieved occupancy %")
            # The profiler reports 0 for kernels with more shared memory than it knows of, such as all large products on Hopper.
            out.append({"name": event["name"], "us": event["dur"], "occupancy": percent / 100 if percent else None})
    return out


def occupancy(found: list[dict[str, Any]]) -> float | None:
    """The mean occupancy, weighted by time."""
    known = [(k["us"], k["occupancy"]) for k in found if k["occupancy"] is not None]
    total = sum(us for us, _ in known)
    return sum(us * share for us, share in known) / total if total else None


def kernels_in(events: list[dict[str, Any]]) -> dict[str, Any]:
    found = kernels(events)
    return {"kernels": found, "occupancy": occupancy(found)}


def backend(events: list[dict[str, Any]], otherwise: str) -> tuple[str, list[str]]:
    """The backend that ran, by operators and kernels, and what it was recognized from."""
    names = {e.get("name", "") for e in events if e.get("cat") == "cpu_op"}
    evidence = sorted(names & BACKENDS.keys())
    ran = BACKENDS[evidence[0]] if evidence else otherwise
    longest = sorted(kernels(events), key=lambda k: -k["us"])[:3]
    return ran, evidence + [k["name"][:120] for k in longest]


def allocated(events: list[dict[str, Any]]) -> tuple[int, int]:
    """Bytes that a call allocated: its peak and its end, from the allocations in a trace."""
    alive: dict[int, int] = {}
    most = now = 0
    for event in sorted((e for e in events if e.get("name") == "[memory]"), key=lambda e: e["ts"]):
        size, address = event["args"]["Bytes"], event["args"]["Addr"]
        if size > 0:
            alive[address] = size
            now += size
        else:
            now -= alive.pop(address, 0)  # allocated before the call
        most = max(most, now)
    return most, now
