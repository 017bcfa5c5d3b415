"""Steps and their phases: where the host's time goes, and the device's time if it has a clock.

Wrapped calls enter and leave phases. They nest, and time belongs to the innermost one: an optimizer
that runs forward and backward in a closure keeps only what is its own. What no phase claims is "other".
A step lasts from one boundary to the next, so that nothing falls between two steps. Its time is a list of segments,
one between two edges: what turns out to be an evaluation's is given to it before the step is summed up.

On an asynchronous device, a phase of the host shows when work was queued, not when it was done.
There, every edge between phases also puts an event into the device's queue; the time between two events
is what the device spent on the phase, or waited for it. Events are read later, when they have long passed.
"""

import atexit
import functools
import math
import os
import sys
import time
from collections import deque
from threading import get_ident, main_thread

from . import attach, facts, record, sampler, tuning, workers
from .passes import Passes

# In the order of the loop. The names of ranges are those that other tools look for.
PHASES = {
    "data": "DataLoading",
    "h2d": "HostToDevice",
    "region": "Forward",  # a compiled function; other phases may run inside of it
    "forward": "Forward",
    "backward": "Backward",
    "optimizer": "Optimizer",
    "gradient": "Gradient",  # forward and backward in one call
    "graph": "GraphReplay",
    "jit": "Jit",
    "wait": "WaitForDevice",
    "evaluation": "Evaluation",
    "checkpoint": "Checkpoint",
    "logging": "Logging",
}
_OPEN = ("optimizer", "region")  # phases that others may interrupt
_READY = ("h2d", "checkpoint", "logging")  # phases that begin no first step: the program is still getting ready
_clock = time.perf_counter_ns
_shared = None
_inherited = []


def shared(settings):
    """The Steps of this process: torch and jax may both have a part in them."""
    global _shared
    if _shared is None:
        _shared = Steps(settings)
        atexit.register(record.safe(_shared.finish))
        _watch_exit(record.safe(_shared.leaving))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=record.safe(_forked))
    return _shared


def watched():
    """The same, where there is one already."""
    return _shared


def _watch_exit(leaving):
    """os._exit calls no atexit."""
    leave = os._exit

    @functools.wraps(leave)
    def _exit(*args, **kwargs):
        leaving()
        leave(*args, **kwargs)

    os._exit = _exit


def _forked():
    """A child starts with no steps, and reports them when multiprocessing ends it, which calls no atexit."""
    _never_free([_shared.timeline, _shared.waiting, _shared.losses, _shared.held, _shared.marked, _shared.tracer])
    _shared.clear()
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        end = record.safe(_shared.finish)
        util.register_after_fork(_shared, lambda _: util.Finalize(None, end, exitpriority=0))


def _never_free(inherited):
    """A child must not free objects of the parent's device: the driver would abort it."""
    _inherited.append(inherited)
    try:
        import ctypes

        ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))  # not even when the interpreter ends
    except Exception:  # a Python without ctypes: multiprocessing ends its children without cleaning up
        pass


class Steps:
    def __init__(self, settings):
        self.limit = settings.get("steps") or 0
        self.within = settings.get("within")  # nor more than these, once they have taken so long
        self.keeps_loss = bool(settings.get("loss"))
        self.samples = bool(settings.get("sample"))  # look at the stack again and again
        self.keeps_results = bool(settings.get("results"))
        self.device = None  # makes a Timeline when the device is in use
        self.push = self.pop = None  # mark a range for NVTX
        self.mark_range = None  # marks a range for the profiler while it records; gives what ends it, or None
        self.noticed = []  # asked at each boundary for further tags
        self.clear()
        self.summary = attach.Summary() if settings.get("attach") else None

    def clear(self):
        self.thread = main_thread().ident
        self.stack = []
        self.busy = False  # inside a phase that a further call does not interrupt
        self.begin = None  # of the current step
        self.first = 0  # when the first step was over
        self.mark = 0  # the last edge
        self.segments = []  # of the current step, up to the last edge: [phase or None, begin, end]
        self.carried = {}  # phase: ns that an earlier iteration has left to this step
        self.count = 0
        self.finished = False  # everything is reported
        self.late = False  # a step has ended, but not the call that ended it
        self.fed = False  # a loader gave the last step its batches
        self.mode = None  # "train" or "inference", once known
        self.tags = set()
        self.backwards = 0
        self.losses = []
        self.passes = Passes(self)
        self.waiting = deque()  # steps whose device has not got to their end
        self.held = None  # iterations of a call that may not be the main one
        self.timeline = None
        self.capturing = None  # the CUDA graph that is being recorded
        self.marked = []
        self.tracer = self.summary = None

    # Phases.

    def enter(self, phase):
        """Starts a phase. False: this thread is not the one that is watched, and nothing must be left."""
        if get_ident() != self.thread:
            return False
        self.returned()
        if self.begin is None:
            if phase in _READY:
                return False
            self._open()
        if self.tracer is not None and not self.stack:
            self.tracer.part_begins()
        self._edge()
        self.stack.append(phase)
        self.busy = phase not in _OPEN
        if self.push is not None:
            self.push(PHASES[phase])
        self.marked.append(self.mark_range(PHASES[phase]) if self.mark_range is not None else None)
        return True

    def silence(self):
        """This process is a helper of the one that trains."""
        self.thread = None

    def leave(self, phase):
        stack = self.stack
        if phase not in stack:
            return
        while True:  # what an exception left open is closed with it
            self._edge()
            top = stack.pop()
            end = self.marked.pop()
            if end is not None:
                end()
            if self.pop is not None:
                self.pop()
            if top == phase:
                break
        self.busy = bool(stack) and stack[-1] not in _OPEN
        self.returned()

    def _edge(self):
        now = _clock()
        top = self.stack[-1] if self.stack else None
        self.segments.append([top, self.mark, now])
        self.mark = now
        if self.timeline is not None and self.capturing is None:
            try:
                self.timeline.edge(top)
            except Exception:  # the program will get the device's error itself
                self.timeline = self.device = None
                record.failed("the device's events")
        return now

    def cut(self):
        """Ends a segment, so that what comes before and after can be told apart."""
        if self.begin is not None and get_ident() == self.thread:
            self._edge()

    def _summed(self):
        """ns of each phase."""
        spent = self.carried
        for phase, begin, end in self.segments:
            if phase is not None:
                spent[phase] = spent.get(phase, 0) + end - begin
        return spent

    # What the wrapped calls report.

    def lost(self, value):
        """The loss of a backward pass: a number, or a function that gives it once the step is over."""
        self.passes.backward()
        self.backwards += 1
        if value is not None:
            self.losses.append(value)

    def owner(self):
        """The thread that trains is the one to watch."""
        ident = get_ident()
        if ident != self.thread and self.count == 0:
            self.thread, self.begin = ident, None
            del self.stack[:], self.marked[:]
            if self.tracer is not None:
                self.tracer.moved()

    # Boundaries.

    def _open(self):
        self.begin = self.mark = _clock()
        self.segments, self.carried = [], {}
        if self.device is not None:
            self.timeline = self.device()
        if self.tracer is not None:
            self.tracer.begin()

    def ended(self, mode, within=False):
        """The step is over; the next one begins now. within: a call that others also time has not returned yet."""
        if get_ident() != self.thread:
            return
        if self.late:
            self.over()
        if self.begin is None:
            self._open()
        now = self._edge()
        if mode == "train" and self.mode == "inference":
            self.count, self.held = 0, None  # what looked like inference was an evaluation before training
        self.mode = mode
        self.count += 1
        if self.count == 1:
            self.first = now
            self.tags.add("warmup")
        for notice in self.noticed:
            tag = notice()
            if tag:
                self.tags.add(tag)
        if self.tracer is not None and self.tracer.active:
            self.tags.add("profiled")
        row = {"step": self.count, "s": (now - self.begin) / 1e9, "mode": mode}
        used = self.passes.step_over()
        self.fed = bool(used)
        for name, values in (("samples", 0), ("tokens", 1), ("elements", 2)):
            total = sum(batch[values] for batch in used)
            if total:
                row[name] = total
        if self.backwards > 1:
            row["micro"] = self.backwards
        if self.tags:
            row["tags"] = sorted(self.tags)
        cut = self.timeline.cut() if self.timeline is not None else None
        self.waiting.append((row, self._summed(), self.losses, cut, used))
        if self.samples:
            self._sampled()
        self.begin, self.segments, self.carried, self.losses, self.backwards, self.tags = now, [], {}, [], 0, set()
        if self.timeline is None and self.device is not None:
            self.timeline = self.device()
        self.late = within
        if not within:
            self.over()

    @record.safe
    def _sampled(self):
        """The first step is over: from here on it is worth looking."""
        sampler.divide(self.segments, self.tags)
        sampler.start(self.thread)

    def returned(self):
        """The call that ended a step has returned, unless it is part of a phase that continues."""
        if self.late and not self.stack and get_ident() == self.thread:
            self.over()

    def over(self):
        """Work between two steps. It takes time, which the profiler must not see inside the optimizer's step."""
        self.late = False
        self.settle()
        if self.tracer is not None:
            self.tracer.step_ended()
        tuning.poll()
        sampler.tell()
        record.flush()
        self.enough()

    def enough(self):
        """Ends the program once it has made the steps that were asked for, or has taken long enough over fewer."""
        if self.held is not None:
            return
        if self.limit and self.count >= self.limit:
            self.stop()
        if self.within and self.count >= self.within["steps"]:
            if _clock() - self.first >= self.within["s"] * 1e9:
                self.stop()

    def settle(self, wait=False):
        """Writes the steps that the device has finished."""
        while self.waiting:
            row, spent, losses, cut, used = self.waiting[0]
            times = None
            if not wait and not all(value.ready() for value in losses if hasattr(value, "ready")):
                return
            if cut is not None:
                try:
                    times = cut.read(wait)
                    if times is None:
                        return
                    if cut.tags:
                        row["tags"] = sorted({*row.get("tags", ()), *cut.tags})
                except Exception:  # an error of the device: the host's times are left
                    record.failed("the device's times")
            self.waiting.popleft()
            host = {phase: ns / 1e9 for phase, ns in spent.items()}
            if times is not None:
                row["s"], parts = times
                row["parts"], row["host"] = _parts(parts), _parts(host)
            else:
                row["parts"] = _parts(host)
            if losses:
                row["loss"] = _number(sum(value() if callable(value) else value for value in losses))
            if self.summary is not None:
                self.summary.add(row)
            if self.held is not None:
                self.held.append((row, spent, used))
            else:
                self._write(row)

    def _write(self, row):
        if row["step"] == 1 or "first-of-epoch" in row.get("tags", ()):
            record.line("facts", **facts.of_process())
        record.line("step", **row)

    def release(self):
        """The call that was watched is the main one: what was held back is written."""
        if self.held is not None:
            rows, self.held = self.held, None
            for row, _, _ in rows:
                self._write(row)

    def hold(self):
        """A larger call has shown up: what was held back of the smaller one is part of its first iteration."""
        self.settle(wait=True)
        for row, spent, used in self.held or ():
            self.begin -= int(row["s"] * 1e9)
            self.passes.used.extend(used)
            self.tags.update(row.get("tags", ()))
            for phase, ns in spent.items():
                self.carried[phase] = self.carried.get(phase, 0) + ns
        self.held, self.count = [], 0
        if self.tracer is not None:
            self.tracer.restart()

    # The end.

    def finish(self):
        """At the end of the process."""
        self.finished = True
        sampler.stop()
        if self.late:
            self.late = False
            if self.tracer is not None:
                self.tracer.step_ended()
        if self.tracer is not None:
            self.tracer.finish()
        tuning.finish()
        try:
            self.settle(wait=True)
            self.release()
            if self.summary is not None:
                self.summary.finish()
        except Exception:
            record.failed("the last steps")
        if self.timeline is not None:
            self.timeline.close()
        record.safe(sampler.tell)(now=True)
        if self.count:
            record.line("facts", **facts.of_process())
            record.line("end", steps=self.count)
        record.flush(now=True)

    def leaving(self):
        """The process is about to end: reports what is known, without waiting."""
        if self.count and not self.finished:
            self.settle()
            self.release()
            record.line("facts", **facts.of_process())
        if not self.finished:
            sampler.stop()
            sampler.tell(now=True)
        record.flush(now=True)

    def stop(self):
        """Enough steps: the program ends here."""
        try:
            self.finish()
            record.line("stopped", steps=self.count)
            record.flush(now=True)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            if facts.world() > 1:
                time.sleep(1)  # the other ranks may still be reading what this one sent
            workers.remove_folder()
            os._exit(0)


def _parts(seconds):
    if "region" in seconds:
        seconds["forward"] = seconds.get("forward", 0) + seconds.pop("region")
    return [{"name": name, "s": round(seconds[name], 9)} for name in PHASES if seconds.get(name)]


def _number(value):
    value = float(value)
    return value if math.isfinite(value) else str(value).replace("nan", "NaN").replace("inf", "Infinity")


class Root:
    """Finds the call that is one iteration in a program without an optimizer: the largest one that repeats."""

    def __init__(self, steps, mode, patience, larger, sticks=False):
        self.steps, self.mode, self.larger = steps, mode, larger
        self.patience = min(patience, steps.limit or patience)  # calls before the largest so far is believed to be it
        self.sticks = sticks  # then, a larger one now and then is an evaluation
        self.largest = 0
        self.calls = 0
        self.rival, self.rivals = 0, 0  # a larger one, and its calls since the last iteration

    def called(self, what, size, note):
        """Something has been called; note tells of it, should it be the main call."""
        if size < self.largest or size == 0:
            return
        steps = self.steps
        if size > self.largest:
            if self.sticks and self.calls >= self.patience:
                self.rivals = self.rivals + 1 if size == self.rival else 1
                self.rival = size
                if self.rivals <= self.calls:
                    return
                steps.tags.add("warmup")
            self.largest, self.calls = size, 0
            if steps.held is not None or steps.count == 0:
                steps.hold()
            self.larger(size)
        self.calls += 1
        self.rivals = 0
        note()
        steps.ended(self.mode)
        if self.calls == self.patience:
            steps.settle()
            steps.release()
            steps.enough()
