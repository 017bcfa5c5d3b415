"""How a call is timed, in any framework.

A call is warmed up until it gets no faster, then timed again and again. Every single time is kept:
the median and its interval are computed from them, and nothing is thrown away as an outlier.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

WARMUP_SECONDS = 3.0  # warming up ends after this time, steady or not
BATCH_SECONDS = 0.025  # short calls are warmed up for at least this time: clocks need time to rise
SETTLE_SECONDS, MOST_SETTLING = 0.1, 1000  # of load before a device's own clock is read: at its power cap it slows down gradually
FALLING = 0.95  # a batch of calls below this share of the batch before was still getting faster
FEWEST, FEWEST_SLOW, SLOW_CALL_SECONDS = 6, 3, 10.0  # 6 are the fewest calls whose median has a 95% interval


@dataclass
class Timing:
    """The raw times of one call, in milliseconds.

    wall_ms: from the call until its result is ready.
    cpu_ms: CPU time of this process: of all threads on a CPU; on a GPU only of the call, without waiting.
    device_ms: by the accelerator's own clock, in a separate pass; None if it has no clock.
    """

    wall_ms: list[float]
    cpu_ms: list[float]
    device_ms: list[float] | None
    device_clock: str | None
    warmup: int
    steady: bool
    cut: bool

    @property
    def series(self) -> list[float]:
        """The times to use: the device's if it has a clock."""
        return self.device_ms or self.wall_ms

    @property
    def settling(self) -> int:
        """How many calls keep the device busy until its clocks have settled."""
        return min(MOST_SETTLING, int(1000 * SETTLE_SECONDS / statistics.median(self.wall_ms)))

    @property
    def median_ms(self) -> float:
        return statistics.median(self.series)

    @property
    def interval_ms(self) -> tuple[float, float] | None:
        return median_interval(self.series)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Seconds(float):
    """The median time of a call in seconds, with all measured times.

    A number like any other: `benchmark_function(fn, args) < 0.01`. The raw times are its timing's: seconds.wall_ms,
    seconds.median_ms, seconds.interval_ms.
    """

    timing: Timing

    def __new__(cls, timing: Timing) -> Seconds:
        seconds = super().__new__(cls, timing.median_ms / 1000)
        seconds.timing = timing
        return seconds

    def __getattr__(self, name: str) -> Any:
        if name == "timing":  # not set yet while it is unpickled
            raise AttributeError(name)
        return getattr(self.timing, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Seconds, (self.timing,)


def median_interval(times: list[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """A confidence interval of the median that assumes nothing about the distribution.

    The number of times below the true median is binomial(n, 1/2); the interval lies between the two order
    statistics that hold it with the confidence asked for. Fewer than 6 times have no interval of 95%.
    """
    n, ordered = len(times), sorted(times)
    outside = 0.0
    best = None
    for k in range(n // 2):
        outside += 2 * math.comb(n, k) / 2**n
        if outside > 1 - confidence:
            break
        best = (ordered[k], ordered[n - 1 - k])
    return best


def warm_up(once: Callable[[], float], warmup: int, limit: float = WARMUP_SECONDS) -> tuple[int, bool]:
    """Calls until a batch of calls is not faster than the batch before: how many calls, and whether they became steady.

    The limit counts from the end of the first call, which may have compiled for longer than that.
    """
    began: float | None = None
    calls, before, size = 0, math.inf, max(3, warmup)
    while True:
        batch = []
        for _ in range(size):
            batch.append(once())
            began = began or time.perf_counter()
            if calls + len(batch) >= warmup and time.perf_counter() - began > limit:
                break
        calls += len(batch)
        now = statistics.median(batch)
        if before < math.inf and now >= FALLING * before:
            return calls, True
        if began is not None and time.perf_counter() - began > limit:
            return calls, False
        before, size = now, min(1000, max(size, int(BATCH_SECONDS / max(now, 1e-6))))


def time_calls(
    call: Callable[[], Any],
    wait: Callable[[Any], Any],
    flush: Callable[[], Any] | None,
    *,
    warmup: int,
    iterations: int,
    max_seconds: float,
    waiting_is_work: bool,
) -> Timing:
    """Times call() again and again by wall-clock time.

    wait(result) returns once the result is ready. flush() empties the caches before each call, untimed.
    waiting_is_work: the CPU computes while this process waits for the call (true on a CPU device).
    """
    if iterations < 1:
        raise ValueError(f"iterations is {iterations}: use 6 or more, for an interval")
    if warmup < 0:
        raise ValueError(f"warmup is {warmup}: use 0 or more")

    def once() -> float:
        began = time.perf_counter()
        wait(call())
        return time.perf_counter() - began

    calls, steady = warm_up(once, warmup)
    wall: list[float] = []
    cpu: list[float] = []
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()  # a collection during a call would count as part of it
    try:
        began = time.perf_counter()
        while len(wall) < iterations:
            if flush is not None:
                flush()
            cpu_start, start = time.process_time(), time.perf_counter()
            result = call()
            cpu_called = time.process_time()
            wait(result)
            wall.append(1000 * (time.perf_counter() - start))
            cpu.append(1000 * ((time.process_time() if waiting_is_work else cpu_called) - cpu_start))
            del result  # freed here, not in the middle of the next call
            spent = time.perf_counter() - began
            fewest = FEWEST_SLOW if spent > SLOW_CALL_SECONDS * len(wall) else FEWEST
            if spent > max_seconds and len(wall) >= fewest:
                break
    finally:
        if collecting:
            gc.enable()
    return Timing(wall, cpu, None, None, calls, steady, len(wall) < iterations)


def empty_level(level: int, name: str) -> dict[str, Any]:
    """The record of a level, still empty."""
    unknown = dict.fromkeys(("skipped", "backend", "first_ms", "cold", "warm", "memory", "max_abs_error", "max_rel_error", "occupancy"))
    return {"level": level, "name": name, **unknown, "evidence": [], "kernels": []}
