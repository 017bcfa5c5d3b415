"""Records a trace on the user's schedule: torch.profiler, or JAX's own profiler over the same window.

The schedule counts `wait` once and `repeat` as further cycles: wait + (warmup + active) * (repeat + 1) units.
"""

import os
import time
import warnings
from threading import get_ident

from . import epochs, record


class _Tracer:
    def __init__(self, settings, steps):
        self.trace = settings["trace"]
        self.folder = os.path.join(settings["run"], "profiler_traces")
        self.steps = steps
        self.active = False  # the profiler slows the current step down
        self.units = 0  # that are over
        self.written = 0
        self.begun = False
        self.closing = False  # the program ends, maybe in the middle of a recording
        self.broken = False
        self.loop = epochs.Loop()

    def units_needed(self):
        t = self.trace
        return t["wait"] + (t["warmup"] + t["active"]) * (t["repeat"] + 1)

    def step_ended(self):
        if self.trace["unit"] == "step":
            self._unit()
        elif not self.steps.fed and self.loop.find():
            self.steps.tags.add("profiled")  # the search was made at the expense of the step that begins

    def epoch_ended(self):
        """A loader is exhausted. Only one that fed training steps ends an epoch."""
        if self.trace["unit"] == "epoch" and self.steps.passes.epoch_batches and self.loop.code is None and "evaluation" not in self.steps.tags:
            self._unit()

    @record.safe
    def part_begins(self):
        """A part of a step begins: the first one of an epoch shows that the epoch before it is over."""
        if self.loop.code is not None and self.loop.went_on():
            self._unit()

    def restart(self):
        """What was counted so far were not the program's steps."""

    def moved(self):
        """Another thread trains than the one that began."""

    def _unit(self):
        if self.broken:
            return
        try:
            self.units += 1
            self.next_unit()
        except Exception:
            self._fail()

    def _fail(self):
        self.broken, self.active = True, False
        record.failed("the profiler")

    def path(self, ending):
        from . import facts

        os.makedirs(self.folder, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S") + "-%03d" % (time.time() * 1000 % 1000)
        if facts.world() > 1:
            stamp = "rank%d_%s" % (facts.rank(), stamp)
        return os.path.join(self.folder, stamp + ending)

    def wrote(self, path):
        if not self.closing:
            self.written += 1
        record.line("trace", path=os.path.join("profiler_traces", os.path.relpath(path, self.folder)))
        record.flush(now=True)

    def finish(self):
        """The program ends: keeps the current recording, and notes what was not reached."""
        if self.begun and not self.broken and self.loop.over():
            self._unit()
        if self.begun and not self.broken:
            self.closing = True
            try:
                self.end()
            except Exception:
                self._fail()
        if self.broken or not self.begun or self.written > self.trace["repeat"]:
            return
        unit = self.trace["unit"]
        if unit == "epoch" and self.units == 0:
            record.note("no end of an epoch was seen, so nothing was recorded as planned: set `unit: step`")
        else:
            record.note(
                "the run ended after %d %ss, but profiling needs wait + (warmup + active) * (repeat + 1) = %d: "
                "%d of %d traces are complete" % (self.units, unit, self.units_needed(), self.written, self.trace["repeat"] + 1)
            )


class TorchTracer(_Tracer):
    # Bytes of an event in the file: 282 to 304 were measured without shapes and 386 to 431 with them
    # (torch 2.15 on a CPU), 470 with shapes on a GPU; gzip makes that 13 to 16 times smaller.
    BYTES, BYTES_WITH_SHAPES, GZIP = 300, 450, 14
    LARGE = 1 << 30

    def __init__(self, torch, settings, steps):
        super().__init__(settings, steps)
        self.torch = torch
        self.profiler = None
        self.starter = self.stranded = None  # the thread that started the profiler; one that records the wrong thread

    def begin(self):
        """The first step begins."""
        if self.begun or self.broken:
            return
        self.begun, self.starter = True, get_ident()
        try:
            kind = self.torch.profiler
            activities = [kind.ProfilerActivity.CPU]
            if self.torch.cuda.is_initialized():
                activities.append(kind.ProfilerActivity.CUDA)
            warnings.filterwarnings("ignore", message="Warning: Profiler clears events")
            t = self.trace
            self.schedule = kind.schedule(
                skip_first=t["wait"], wait=0, warmup=t["warmup"], active=t["active"], repeat=t["repeat"] + 1
            )
            self.profiler = kind.profile(
                activities=activities,
                schedule=self.schedule,
                on_trace_ready=self._ready,
                record_shapes=t["record_shapes"],
                profile_memory=t["profile_memory"],
                with_stack=t["with_stack"],
            )
            self.profiler.start()
            self.active = self._records()
        except Exception:
            self._fail()

    def moved(self):
        """torch.profiler records the thread that starts it, and crashes the program when another one stops it."""
        if self.active:
            self.stranded, self.broken, self.active = self.profiler, True, False
            record.note("nothing was recorded, because another thread trains than the one that began: let the profiler wait for a step (`wait: 1`)")
        self.profiler, self.begun, self.units = None, False, 0

    def finish(self):
        super().finish()
        if self.stranded is not None and get_ident() == self.starter:
            self.stranded.stop()  # it must not be at work when the interpreter goes

    def _records(self):
        return self.schedule(self.units) != self.torch.profiler.ProfilerAction.NONE

    def next_unit(self):
        if self.profiler is None:
            return
        before = self.written
        self.profiler.step()
        self.active = self._records()
        if self.written > before:
            self.steps.tags.add("profiled")  # the trace was written at the expense of the step that begins
        if self.units >= self.units_needed():
            self.end()

    def end(self):
        profiler, self.profiler, self.active = self.profiler, None, False
        if profiler is not None:
            profiler.stop()

    def _ready(self, profiler):
        t = self.trace
        if self.broken:
            return
        if self.closing and (self.units - t["wait"]) % (t["warmup"] + t["active"]) <= t["warmup"]:
            return  # no whole step is in it
        try:
            self._write(profiler)
        except Exception:
            self._fail()

    def _write(self, profiler):
        size = self._predict(profiler)
        if size > self.LARGE:
            record.note(
                "a trace of about %.1f GB is being written: record fewer steps with `active`, or leave out "
                "record_shapes, with_stack or profile_memory" % (size / 1e9)
            )
        final = self.path(".pt.trace.json" + (".gz" if self.trace["gzip"] else ""))
        free = _free(self.folder)
        if free is not None and size > free:
            record.note("a trace of about %.1f GB was not written: %s has %.1f GB left" % (size / 1e9, self.folder, free / 1e9))
            return
        hidden = os.path.join(self.folder, "." + os.path.basename(final))
        profiler.export_chrome_trace(hidden)
        os.replace(hidden, final)
        self.wrote(final)

    def _predict(self, profiler):
        """How large the file will be; torch knows its events before it writes them."""
        try:
            events = len(profiler.profiler.kineto_results.events())
        except Exception:
            return 0
        size = events * (self.BYTES_WITH_SHAPES if self.trace["record_shapes"] else self.BYTES)
        return size / self.GZIP if self.trace["gzip"] else size


class JaxTracer(_Tracer):
    """JAX's profiler has no warm-up of its own: it records the active units alone."""

    def __init__(self, jax, settings, steps):
        super().__init__(settings, steps)
        self.jax = jax
        self.recording = None

    def restart(self):
        if self.recording is None:
            self.units = 0

    def begin(self):
        self.begun = True
        if self.trace["wait"] + self.trace["warmup"] == 0:
            self._start()

    def next_unit(self):
        self.begun = True
        t = self.trace
        cycle = t["warmup"] + t["active"]
        into = self.units - t["wait"]
        if self.recording and into % cycle == 0:
            self.end()
            self.steps.tags.add("profiled")
        if 0 <= into < cycle * (t["repeat"] + 1) and into % cycle == t["warmup"]:
            self._start()

    def _start(self):
        self._let_work_end()
        self.recording = self.path(".jax")
        self.jax.profiler.start_trace(self.recording, create_perfetto_trace=False)
        self.active = True

    def _let_work_end(self):
        """A trace holds the work that ended while it was recorded, and calls return before theirs has."""
        busy, self.steps.busy = self.steps.busy, True  # this wait is not the program's
        try:
            for array in self.jax.live_arrays():
                if not array.is_deleted():
                    array.block_until_ready()
        finally:
            self.steps.busy = busy

    def end(self):
        folder, self.recording, self.active = self.recording, None, False
        if folder is None:
            return
        self._let_work_end()
        self.jax.profiler.stop_trace()
        for root, _, files in os.walk(folder):
            for name in files:
                if name.endswith(".trace.json.gz"):  # the .xplane.pb beside it holds the same
                    self.wrote(os.path.join(root, name))


def _free(folder):
    try:
        import shutil

        return shutil.disk_usage(folder).free
    except OSError:
        return None
