import atexit as _atexit
import functools as _functools

import torch as _torch


class _Saturate:
    """Marks the parts of a step for Nsight Systems and in the trace, and profiles the first 10 steps into ./log."""

    def __init__(self):
        self.open, self.steps, self.profiler, self.nvtx = {}, 0, None, False

    def start(self):
        if self.profiler is not None or self.steps > 0:
            return
        activities = [_torch.profiler.ProfilerActivity.CPU]
        if _torch.cuda.is_available():
            activities.append(_torch.profiler.ProfilerActivity.CUDA)
            self.nvtx = _torch.version.cuda is not None
        self.profiler = _torch.profiler.profile(
            activities=activities,
            schedule=_torch.profiler.schedule(wait=0, warmup=2, active=8, repeat=1),
            on_trace_ready=_torch.profiler.tensorboard_trace_handler("./log"),
            record_shapes=True,
        )
        self.profiler.__enter__()
        _atexit.register(self.finish)

    def begin(self, name):
        if name not in self.open:
            if self.nvtx:
                _torch.cuda.nvtx.range_push(name)
            self.open[name] = _torch.profiler.record_function(name)
            self.open[name].__enter__()

    def end(self, name):
        if name in self.open:
            self.open.pop(name).__exit__(None, None, None)
            if self.nvtx:
                _torch.cuda.nvtx.range_pop()

    def step(self):
        self.steps += 1
        if self.profiler is not None:
            self.profiler.step()
        if self.steps == 10:
            self.finish()

    def finish(self):
        for name in list(self.open):
            self.end(name)
        if self.profiler is not None:
            _atexit.unregister(self.finish)
            self.profiler.__exit__(None, None, None)
            self.profiler = None

    def around(self, name, function):
        @_functools.wraps(function)
        def ranged(*args, **kwargs):
            self.begin(name)
            try:
                return function(*args, **kwargs)
            finally:
                self.end(name)

        return ranged


_saturate = _Saturate()
