"""The device's own clock: events in its queue at every edge between phases, read once they have passed."""


class Timeline:
    def __init__(self, event):
        self.event = event  # makes one that can be timed
        self.pool = []
        self.edges = []
        self.base = self._record()

    def _record(self):
        event = self.pool.pop() if self.pool else self.event()
        event.record()
        return event

    def edge(self, phase):
        """What the device does up to here, since the last edge, belongs to the phase."""
        self.edges.append((phase, self._record()))

    def cut(self):
        cut = Cut(self, self.base, self.edges)
        self.base, self.edges = self.edges[-1][1], []
        return cut


    def close(self):
        """Nothing is at work that would have to end."""


class Cut:
    """The events of one step."""

    tags = ()

    def __init__(self, timeline, base, edges):
        self.timeline, self.base, self.edges = timeline, base, edges

    def read(self, wait):
        """Seconds of the step and of each phase, or None while the device has not finished it."""
        if not wait and not all(event.query() for _, event in reversed(self.edges)):
            return None
        if wait:
            for _, event in self.edges:
                event.synchronize()
        now, times = 0.0, {}
        for phase, event in self.edges:
            # From the step's beginning: events of several streams may not come in this order.
            at = max(now, self.base.elapsed_time(event) / 1e3)
            if phase is not None:
                times[phase] = times.get(phase, 0.0) + at - now
            now = at
        self.timeline.pool.append(self.base)
        self.timeline.pool.extend(event for _, event in self.edges[:-1])
        return now, times
