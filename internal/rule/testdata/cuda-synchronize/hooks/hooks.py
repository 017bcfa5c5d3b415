import time

import torch

HOOKS = {}


class Hook:
    def __init_subclass__(cls, key, **rest):
        super().__init_subclass__(**rest)
        HOOKS[key] = cls

    def step_starts(self, run): ...

    def step_ends(self, run): ...

    def epoch_ends(self, run): ...


class Clock(Hook, key="clock"):
    def step_starts(self, run):
        torch.cuda.synchronize()  # want SAT307 "the host stops in every step"
        self.since = time.perf_counter()

    def step_ends(self, run):
        torch.cuda.synchronize()  # want SAT307 "the host stops in every step"
        run.seconds += time.perf_counter() - self.since


class Report(Hook, key="report"):
    def epoch_ends(self, run):
        torch.cuda.synchronize()
        print(run.seconds)


class Unasked(Hook, key="unasked"):
    def step_ends(self, run):
        torch.cuda.synchronize()


def make_hooks(names):
    return [HOOKS[name]() for name in names.split(",")]
