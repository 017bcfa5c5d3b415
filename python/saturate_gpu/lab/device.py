"""The machine: its hardware, and its state during a measurement.

Times from a hot, throttled or shared GPU mean nothing. A Watch asks nvidia-smi every 100 ms; its answers
are kept with the times measured in the same span.
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import os
import platform
import re
import shutil
import statistics
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

# Bits of the clocks' event reasons as NVML defines them; bit 0 (idle) and bit 1 (set by a user) say nothing is wrong.
REASONS = {
    0x04: "sw_power_cap",
    0x08: "hw_slowdown",
    0x10: "sync_boost",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake",
}
# A power cap is how a GPU normally runs at its limit; these are not.
THROTTLING = {"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake"}
POWER_CAP = 0x04
LOW_CLOCK = 0.75  # of the maximum: NVBench's limit
FEW = 0.1  # of the busy samples may have a low clock: it rises and falls with the work
BUSY_PERCENT = 50  # below it a low clock only means that there was nothing to do
FIELDS = "clocks.sm,clocks.max.sm,clocks.mem,temperature.gpu,power.draw,power.limit,memory.used,utilization.gpu,"
REASON_FIELDS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")  # the second is its name in older drivers
FIRST_WORD_SECONDS = 5.0
MIB = 1 << 20


def smi(*arguments: str) -> list[list[str]]:
    """Rows of nvidia-smi's CSV; none if it is missing or does not answer."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        done = subprocess.run([program, *arguments, "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return rows(done.stdout) if done.returncode == 0 else []


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]


def number(text: str) -> float | None:
    """A figure of nvidia-smi's, which writes [N/A] for what it does not know."""
    try:
        return float(int(text, 16)) if text.startswith("0x") else float(text)
    except ValueError:
        return None


def processes(gpu: str | None) -> list[dict[str, Any]]:
    """The processes on the GPU. Asked before this process uses it, so all of them are others."""
    out: list[dict[str, Any]] = []
    if gpu is None:
        return out
    for row in smi("-i", gpu, "--query-compute-apps=pid,process_name,used_memory"):
        if len(row) == 3 and row[0].isdigit():
            used = number(row[2])
            out.append({"pid": int(row[0]), "name": row[1], "bytes": int(used * MIB) if used is not None else None})
    return out


class Watch:
    """Asks nvidia-smi about one GPU (its index or UUID) every 100 ms until it is closed."""

    def __init__(self, gpu: str | None) -> None:
        self.samples: list[tuple[float, list[float | None]]] = []
        self.process: subprocess.Popen[bytes] | None = None
        known = [f for f in REASON_FIELDS if gpu is not None and smi("-i", gpu, f"--query-gpu={FIELDS}{f}")]
        if not known:
            return
        command = [shutil.which("nvidia-smi") or "nvidia-smi", "-i", str(gpu), f"--query-gpu={FIELDS}{known[0]}", "--format=csv,noheader,nounits", "-lms", "100"]
        # A terminal of its own: into a pipe, a program may write only every few thousand characters.
        ours, its = os.openpty()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.DEVNULL)
        os.close(its)
        self.heard = threading.Event()
        threading.Thread(target=self._read, args=(ours,), daemon=True).start()
        self.heard.wait(FIRST_WORD_SECONDS)

    def _read(self, terminal: int) -> None:
        with open(terminal, encoding="utf-8", errors="replace") as lines, contextlib.suppress(OSError):  # the error marks the end of its output
            for line in lines:
                for row in rows(line):
                    values = [number(cell) for cell in row]
                    if len(values) == FIELDS.count(",") + 1:
                        self.samples.append((time.monotonic(), values))
                        self.heard.set()
        self.heard.set()

    def since(self, began: float) -> dict[str, Any] | None:
        """The answers since a time of time.monotonic(); the latest one if there is none in so short a span."""
        samples = list(self.samples)
        chosen = [values for when, values in samples if when >= began] or [values for _, values in samples[-1:]]
        return summary(chosen)

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def summary(samples: list[list[float | None]]) -> dict[str, Any] | None:
    """Minimum, median and maximum of each figure; all throttle reasons that were ever active."""
    if not samples:
        return None
    sm, sm_max, mem, heat, power, limit, used, busy, reasons = (list(column) for column in zip(*samples))

    def spread(column: list[float | None]) -> list[float] | None:
        known = [v for v in column if v is not None]
        return [min(known), statistics.median(known), max(known)] if known else None

    active = 0
    for value in reasons:
        active |= int(value or 0)
    names = [name for bit, name in REASONS.items() if active & bit]
    working = [(s, m, int(r or 0)) for s, m, b, r in zip(sm, sm_max, busy, reasons) if s is not None and m and (b or 0) >= BUSY_PERCENT]
    slow = [s for s, m, r in working if s < LOW_CLOCK * m and not r & POWER_CAP]
    return {
        "samples": len(samples),
        "sm_mhz": spread(sm),
        "sm_max_mhz": sm_max[-1],
        "mem_mhz": spread(mem),
        "temperature_c": spread(heat),
        "power_w": spread(power),
        "power_limit_w": limit[-1],
        "used_bytes": int(used[-1] * MIB) if used[-1] is not None else None,
        "reasons": names,
        "throttled": len(slow) > FEW * len(working) or bool(THROTTLING & set(names)),
    }


def gpu_to_ask(index: int) -> str:
    """nvidia-smi's name of the index-th GPU that this process sees."""
    visible = [v.strip() for v in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if v.strip()]
    return visible[index] if index < len(visible) else str(index)


def cpu_name() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or platform.machine()


def cpu_cache_bytes() -> int | None:
    """The size of the last-level cache."""
    sizes = []
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        found = re.fullmatch(r"(\d+)([KMG]?)\s*", path.read_text())
        if found:
            sizes.append(int(found.group(1)) << {"": 0, "K": 10, "M": 20, "G": 30}[found.group(2)])
    return max(sizes, default=None)


def forget_peak() -> bool:
    """Gives free memory back and resets Linux's peak memory of this process; False if that fails."""
    try:
        for _ in range(3):  # other threads free memory a moment later
            time.sleep(0.03)
            ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
    except (OSError, AttributeError, TypeError):
        return False
    return True


def _kilobytes(name: str, text: str) -> int:
    """The bytes of a line such as VmRSS: 12 kB."""
    return int(re.findall(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)[0]) << 10


def resident(name: str) -> int:
    """Bytes of this process in memory, now (VmRSS) or at most so far (VmHWM); 0 if the system does not say."""
    try:
        return _kilobytes(name, Path("/proc/self/status").read_text())
    except (OSError, IndexError):
        return 0


def host_memory() -> tuple[int | None, int | None]:
    """Bytes of memory that are free and allowed for this process, including the limit of its cgroup."""
    total = free = None
    try:
        text = Path("/proc/meminfo").read_text()
        total, free = (_kilobytes(name, text) for name in ("MemTotal", "MemAvailable"))
    except (OSError, IndexError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        cache = re.search(r"^inactive_file (\d+)$", (group / "memory.stat").read_text(), re.MULTILINE)
        left = limit - used + (int(cache.group(1)) if cache else 0)
    except (OSError, ValueError):
        return total, free
    return min(total or limit, limit), min(free if free is not None else left, left)
