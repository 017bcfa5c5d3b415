"""When JAX's device finished each step.

A compiled function returns before its work is done: the time between calls is short while the queue has room and long
when it is full. So a thread waits for one result of every step and records when it is ready. A step lasts from one such
moment to the next. The host's work delays the device only after the device has finished the previous step and before
the next one is queued.
"""

import threading
from collections import deque
from queue import SimpleQueue
from time import perf_counter_ns


class Timeline:
    def __init__(self, began):
        self.through = began  # with the steps that were read
        self.edges = []  # of the host's phases: what ended, and when
        self.result = None  # of the step that is about to end
        self.cuts = deque()  # steps that were not read, in their order
        self.pending = deque()  # those of them that the device may not have finished
        self.lock = threading.Lock()
        self.asked = SimpleQueue()
        threading.Thread(target=self._wait, name="saturate-steps", daemon=True).start()

    def edge(self, phase):
        self.edges.append((phase, perf_counter_ns()))
        self.look()  # if the host waits too, it may know before the thread does

    def cut(self):
        cut = Cut(self, self.edges, self.result)
        self.edges, self.result = [], None
        self.cuts.append(cut)
        if cut.result is not None:
            with self.lock:
                self.pending.append(cut)
            self.look()
            if cut.result is not None:
                self.asked.put(cut)
        return cut

    def look(self):
        """Notes the time when steps are over. Of several at once the last is noted: they share the time."""
        last = None
        with self.lock:
            while self.pending:
                cut, ready = self.pending[0], self.pending[0].ready()
                if ready is False:
                    break
                if ready:
                    last = cut
                self.pending.popleft().result = None
            if last is not None:
                last.over = perf_counter_ns()

    def _wait(self):
        while True:
            cut = self.asked.get()
            if cut is None:
                return
            cut.wait()

    def close(self):
        self.asked.put(None)


class Cut:
    """One step."""

    def __init__(self, timeline, edges, result):
        self.timeline, self.edges, self.result = timeline, edges, result
        self.over = edges[-1][1] if result is None else None  # a step without a result ends when the host says so
        calls = [i for i, (phase, _) in enumerate(edges) if phase == "jit" and i]
        self.call = calls[-1] if calls else len(edges)  # the last one is the step itself
        self.tags = ()

    def ready(self):
        """Whether the result is ready; None if it was donated to the next step, so that nobody knows."""
        try:
            return self.result.is_ready()
        except Exception:
            return None

    def wait(self):
        result = self.result
        if result is None:
            return
        try:
            result.block_until_ready()
        except Exception:
            pass  # it was donated, or the program will get this error itself
        self.timeline.look()

    def read(self, wait):
        """Seconds of the step and of each phase, or None while the device has not finished it."""
        if wait:
            self.wait()
        elif self.result is not None:
            return None
        timeline = self.timeline
        begin, end = timeline.through, None
        for steps, cut in enumerate(timeline.cuts, 1):
            if cut.over is not None:
                at = max(begin, self.edges[self.call - 1][1])  # from when the device can work on it
                end = at + max(0, cut.over - at) // steps
                break
        if end is None:
            if not wait:
                return None
            end = max(begin, self.edges[-1][1])
        timeline.cuts.popleft()
        timeline.through = end
        return (end - begin) / 1e9, self._parts(begin, end)

    def _parts(self, begin, end):
        parts, at = {}, begin
        for phase, until in self.edges[: self.call]:
            until = min(max(at, until), end)
            if phase is not None:
                parts[phase] = parts.get(phase, 0) + until - at
            at = until
        if self.call < len(self.edges):
            if parts.get("jit", 0) + parts.get("wait", 0) > end - at:
                self.tags = ("evaluation",)  # the device worked longer on something else than on the step
            parts["jit"] = parts.get("jit", 0) + end - at
        return {phase: ns / 1e9 for phase, ns in parts.items()}
