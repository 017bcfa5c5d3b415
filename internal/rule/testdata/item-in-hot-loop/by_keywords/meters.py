from collections import defaultdict


class Tally:
    def __init__(self):
        self.sums = defaultdict(float)

    def note(self, **values):
        for name, value in values.items():
            self.sums[name] += float(value)  # want SAT301 "waits for the GPU in every step"


class Counts:
    def __init__(self):
        self.sums = defaultdict(float)

    def note(self, **values):
        for name, value in values.items():
            self.sums[name] += float(value)
