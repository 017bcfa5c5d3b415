"""The device's clock without a device: events that pass when the queue of a pretended GPU gets to them."""

import os
import sys
import tempfile

from saturate_probe import record, steps
from saturate_probe.on_cuda import Timeline


class Queue:
    """A device that works on what was launched, in its order. Times are in milliseconds."""

    def __init__(self):
        self.host = self.device = 0.0

    def launch(self, work):
        self.device = max(self.device, self.host) + work

    def wait(self):
        self.host = max(self.host, self.device)


class Event:
    def __init__(self, queue):
        self.queue, self.at = queue, None

    def record(self):
        self.at = max(self.queue.device, self.queue.host)

    def query(self):
        return self.at <= self.queue.host

    def synchronize(self):
        self.queue.wait()

    def elapsed_time(self, other):
        return other.at - self.at


def step(queue, timeline, data, launch, forward, sync):
    timeline.edge(None)
    queue.host += data
    timeline.edge("data")
    queue.launch(forward)
    queue.host += launch
    timeline.edge("forward")
    if sync:
        queue.wait()
    queue.host += 1
    timeline.edge(None)
    return timeline.cut()


def close(got, want):
    seconds, parts = got
    got = {"s": seconds, **parts}
    assert all(abs(got.get(k, 0) - v / 1e3) < 1e-9 for k, v in want.items()), (got, want)


def main():
    # A starved GPU: it is idle while data is fetched, and forward takes what the GPU takes, not what launching took.
    queue = Queue()
    timeline = Timeline(lambda: Event(queue))
    for _ in range(3):
        cut = step(queue, timeline, data=80, launch=2, forward=10, sync=True)
        close(cut.read(wait=False), {"s": 91, "data": 80, "forward": 10})

    # A busy GPU: the host runs ahead and fetches data while the GPU works; nothing was waited for.
    queue = Queue()
    timeline = Timeline(lambda: Event(queue))
    cuts = [step(queue, timeline, data=5, launch=2, forward=50, sync=False) for _ in range(20)]
    assert cuts[-1].read(wait=False) is None, "the device is not there yet, and reading must not wait"
    close(cuts[0].read(wait=True), {"data": 5, "forward": 50})
    for cut in cuts[1:]:
        close(cut.read(wait=True), {"s": 50, "data": 0, "forward": 50})
    assert len(timeline.pool) > 20, "events are used again"
    taught()
    forked()


class Model:
    training = True

    def parameters(self):
        return iter([self])


def taught():
    """The device's time in a teacher, which runs without gradients in every step, is forward; that in an evaluation is not."""
    queue = Queue()
    watched = steps.Steps({})
    watched.device = lambda: Timeline(lambda: Event(queue))

    def run(phase, work):
        watched.enter(phase)
        began = watched.passes.here()
        if phase == "forward":
            watched.passes.forward(Model())
        queue.launch(work)
        watched.leave(phase)
        if phase == "evaluation":
            watched.passes.without_gradients(Model(), began)

    for evaluated in (False, False, True):
        if evaluated:
            run("evaluation", 100)
            watched.passes.batch_fetched(0, [], None)
        run("evaluation", 30)
        run("forward", 20)
        watched.lost(None)
        watched._edge()
        watched.passes.step_over()
        got = watched.timeline.cut().read(wait=True)
        if watched.count:
            close(got, {"forward": 50, "evaluation": 100 if evaluated else 0})
        assert ("evaluation" in watched.tags) == (evaluated or watched.count == 0), watched.tags
        watched.count, watched.segments, watched.tags = watched.count + 1, [], set()


class Owned(Event):
    """An event that ends a process which frees it and did not make it, as a CUDA event does."""

    def __init__(self, queue):
        super().__init__(queue)
        self.made_by = os.getpid()

    def __del__(self):
        if os.getpid() != self.made_by:
            os.abort()


def forked():
    """A child that comes in the middle of a step lives, and so does one that comes when steps are still unread."""
    record.open({"folder": tempfile.mkdtemp()})
    watched = steps.shared({})
    queue = Queue()
    watched.device = lambda: Timeline(lambda: Owned(queue))
    for _ in range(3):
        watched.enter("data")
        watched.leave("data")
        queue.launch(50)
        watched.ended("train")
    assert watched.waiting, "the steps are still unread"
    watched.enter("data")
    child = os.fork()
    if child == 0:
        sys.exit(0)  # with all that an interpreter frees at its end
    assert os.waitpid(child, 0)[1] == 0, "the probe ended a child of the program"
    watched.leave("data")


if __name__ == "__main__":
    sys.exit(main())
