"""How long a data set takes to make its samples, in the loader's worker processes or in the program itself."""

import functools
import os
import time

from . import record

_made = {"samples": 0, "s": 0.0, "cpu_s": 0.0, "batches": 0}


def watch(torch, steps):
    try:
        fetch = torch.utils.data._utils.fetch
    except AttributeError:
        return
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        kind.fetch = _timed(kind.fetch, torch.utils.data.get_worker_info, steps)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_reset)


def _reset():
    _made.update(samples=0, s=0.0, cpu_s=0.0, batches=0)


def _timed(function, worker, steps):
    @functools.wraps(function)
    def fetch(self, possibly_batched_index):
        info = worker()
        if info is not None:
            steps.silence()  # modules that a data set calls are no steps
        began, cpu = time.perf_counter(), time.thread_time()
        try:
            return function(self, possibly_batched_index)
        finally:
            _count(possibly_batched_index, time.perf_counter() - began, time.thread_time() - cpu, info)

    return fetch


@record.safe
def _count(index, seconds, cpu, info):
    _made["samples"] += len(index) if hasattr(index, "__len__") else 1
    _made["s"] += seconds
    _made["cpu_s"] += cpu
    _made["batches"] += 1
    if info is not None:  # a worker may be ended at any moment: it tells what it has done so far
        record.drop("worker")
        record.line("worker", id=info.id, pid=os.getpid(), parent=os.getppid(), **_made)
        record.flush()


def made():
    """What this process itself has made."""
    return dict(_made)
