"""The end of JAX's steps without JAX: results that are there when the queue of a pretended device gets to them."""

import sys
import threading

from saturate_probe import completions


class Device:
    """Works on what it was asked for, in its order. Times are in milliseconds."""

    def __init__(self):
        self.now = self.busy_until = 0

    def clock(self):
        return self.now * 1_000_000

    def ask(self, work):
        self.busy_until = max(self.busy_until, self.now) + work
        return Result(self, self.busy_until)

    def wait(self):
        self.now = max(self.now, self.busy_until)


class Result:
    def __init__(self, device, at):
        self.device, self.at, self.deleted = device, at, False

    def is_ready(self):
        if self.deleted:
            raise RuntimeError("Array has been deleted.")
        return self.device.now >= self.at

    def block_until_ready(self):
        if threading.current_thread() is not threading.main_thread():
            threading.Event().wait()  # here, nothing happens behind the back of the test
        self.device.now = max(self.device.now, self.at)


class Loop:
    def __init__(self):
        self.device = Device()
        completions.perf_counter_ns = self.device.clock
        self.timeline = completions.Timeline(0)

    def phase(self, name, lasts):
        """The host is busy with a phase."""
        self.timeline.edge(None)
        self.device.now += lasts
        self.timeline.edge(name)

    def step(self, work):
        self.timeline.edge(None)
        self.timeline.result = result = self.device.ask(work)
        self.timeline.edge("jit")
        return self.timeline.cut(), result

    def wait(self):
        self.timeline.edge(None)
        self.device.wait()
        self.timeline.edge("wait")


def close(cut, seconds, tags=(), **parts):
    got = cut.read(wait=True)
    want = {"s": seconds, **parts}
    got = {"s": got[0], **{name: s for name, s in got[1].items() if s}}
    assert set(got) == set(want) and all(abs(got[k] - want[k] / 1e3) < 1e-9 for k in want), (got, want)
    assert cut.tags == tags, cut.tags


def main():
    # The host reads each loss: the device is idle while data is fetched.
    loop = Loop()
    for _ in range(3):
        loop.phase("data", 30)
        cut, _ = loop.step(10)
        loop.wait()
        close(cut, 40, data=30, jit=10)

    # The host runs ahead, waits once, and evaluates: the steps share what they took, the evaluation is the next one's.
    loop = Loop()
    cuts = [loop.step(10)[0] for _ in range(5)]
    assert cuts[0].read(wait=False) is None, "the device is not there yet, and reading must not wait"
    loop.wait()
    loop.device.ask(200)
    loop.wait()
    after = [loop.step(10)[0] for _ in range(2)]
    loop.wait()
    for cut in cuts:
        close(cut, 10, jit=10)
    close(after[0], 210, ("evaluation",), wait=200, jit=10)
    close(after[1], 10, jit=10)

    # Fetching data while the device is at work costs nothing.
    loop = Loop()
    cuts = []
    for _ in range(4):
        loop.phase("data", 5)
        cuts.append(loop.step(20)[0])
    close(cuts[0], 25, data=5, jit=20)
    for cut in cuts[1:]:
        close(cut, 20, jit=20)

    # A result that the next step took over cannot tell; the next one does for both.
    loop = Loop()
    (first, given), (second, _) = loop.step(10), loop.step(10)
    given.deleted = True
    loop.wait()
    close(first, 10, jit=10)
    close(second, 10, jit=10)


if __name__ == "__main__":
    sys.exit(main())
