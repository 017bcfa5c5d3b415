"""The most memory that each part of a program took: training, evaluation, generation."""

import os
import sys


class Cuda:
    name = "cuda"

    def __init__(self, cuda, plan):
        self.cuda, self.total = cuda, cuda.get_device_properties(cuda.current_device()).total_memory
        self.wanted = plan.get("memory") or self.total
        self.others = self._others()
        # A trial that is too large must fail alone, not take memory that other processes need.
        cuda.set_per_process_memory_fraction(max(0.01, min(1.0, (0.97 * self.wanted - self.others) / self.total)))

    def _others(self):
        free, total = self.cuda.mem_get_info()
        return max(0, total - free - self.cuda.memory_reserved())

    def read(self):
        return self.cuda.max_memory_allocated(), self.cuda.max_memory_reserved()

    def reset(self):
        self.cuda.reset_peak_memory_stats()

    def tell(self):
        stats = self.cuda.memory_stats()
        self.others = max(self.others, self._others())
        return {"total": self.wanted, "others": self.others, "retries": stats.get("num_alloc_retries", 0), "ooms": stats.get("num_ooms", 0)}


class Host:
    """A CPU's memory: the process that trains, and its workers beside it."""

    name = "cpu"

    def __init__(self, plan):
        host = plan.get("host") or {}
        self.total, self.others = host.get("total") or _bytes_in("/proc/meminfo", "MemTotal"), host.get("others") or 0
        if plan.get("memory"):
            self.total, self.others = plan["memory"], 0  # the memory given to the program; others are not counted
        self.workers = 0
        self.reset()

    def read(self):
        peak = _status("self", "VmHWM")
        self.workers = max(self.workers, sum(_status(pid, "VmRSS") - _status(pid, "RssShmem") for pid in _children()))
        return peak, peak + self.workers

    def reset(self):
        try:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        except OSError:
            pass  # then the peak is that of the whole process

    def tell(self):
        return {"total": self.total, "others": self.others, "retries": 0, "ooms": 0}


def _status(pid, key):
    return _bytes_in("/proc/%s/status" % pid, key)


def _bytes_in(path, key):
    try:
        with open(path) as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0


def _children():
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is None:
        return []
    return [child.pid for child in multiprocessing.active_children() if child.pid]


class Jax:
    name = "cuda"

    def __init__(self, device, plan):
        self.device = device
        stats = device.memory_stats()
        self.total, self.others = plan.get("memory") or stats["bytes_limit"], 0
        self.most = 0

    def read(self):
        stats = self.device.memory_stats()
        peak = stats["peak_bytes_in_use"]
        return peak, max(peak, stats.get("peak_pool_bytes", 0))

    def reset(self):
        pass  # XLA keeps one peak

    def tell(self):
        return {"total": self.total, "others": self.others, "retries": 0, "ooms": 0}


class Peaks:
    def __init__(self, plan):
        self.plan, self.meter, self.phase = plan, None, "training"
        self.seen = {}

    def ready(self):
        """Called once the program uses its device; before that, the device is unknown."""
        if isinstance(self.meter, Cuda):
            return self.meter
        torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
        cuda = getattr(torch, "cuda", None)
        if cuda is not None and cuda.is_initialized():
            self.meter, self.seen = Cuda(cuda, self.plan), {}
        elif self.meter is None:
            device = self._jax(jax)
            self.meter = Jax(device, self.plan) if device is not None else Host(self.plan) if os.path.exists("/proc/self/status") else None
        return self.meter

    def _jax(self, jax):
        bridge = sys.modules.get("jax._src.xla_bridge")
        if jax is None or not getattr(bridge, "_backends", None):
            return None
        device = jax.local_devices()[0]
        return device if device.platform == "gpu" and device.memory_stats() else None

    def enter(self, phase):
        """From here on the program does something else."""
        if phase != self.phase:
            self.note()
            self.phase = phase
            if self.meter is not None:
                self.meter.reset()

    def note(self):
        if self.ready() is None:
            return
        allocated, reserved = self.meter.read()
        most = self.seen.get(self.phase, (0, 0))
        self.seen[self.phase] = max(most[0], allocated), max(most[1], reserved)

    def tell(self):
        self.note()
        if self.meter is None or not self.seen:
            return {}
        told = {"device": self.meter.name, **self.meter.tell()}
        told["allocated"] = max(a for a, _ in self.seen.values())
        told["reserved"] = max(r for _, r in self.seen.values())
        told["phases"] = [{"name": name, "allocated": a, "reserved": r} for name, (a, r) in self.seen.items()]
        return told
