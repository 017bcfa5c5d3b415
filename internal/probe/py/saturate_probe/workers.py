"""How long a dataset takes to make its samples, in the loader's worker processes or in the program itself."""

import functools
import os
import shutil
import time
from threading import get_ident

from . import record, sampler

_folder = (None, None)  # the workers' temporary folder, and the process that made it
_made = {"samples": 0, "s": 0.0, "cpu_s": 0.0, "cores_s": 0.0, "batches": 0}


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
    _made.update(samples=0, s=0.0, cpu_s=0.0, cores_s=0.0, batches=0)


def _timed(function, worker, steps):
    start, divide = record.safe(sampler.start), record.safe(sampler.divide)

    @functools.wraps(function)
    def fetch(self, possibly_batched_index):
        info = worker()
        if info is not None:
            steps.silence()  # modules that a dataset calls are not steps
            if steps.samples:
                start(get_ident())
        began, cpu, all_threads, programs = time.perf_counter(), time.thread_time(), time.process_time(), _programs()
        try:
            return function(self, possibly_batched_index)
        finally:
            if info is not None and steps.samples:
                divide([("data", int(1e9 * began), time.perf_counter_ns())])
            programs = _programs() - programs
            _count(possibly_batched_index, time.perf_counter() - began, time.thread_time() - cpu + programs, time.process_time() - all_threads + programs, info)

    return fetch


def _programs():
    """CPU seconds of the child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


@record.safe
def _count(index, seconds, cpu, cores, info):
    _made["samples"] += len(index) if hasattr(index, "__len__") else 1
    _made["s"] += seconds
    _made["cpu_s"] += cpu
    _made["cores_s"] += cores
    _made["batches"] += 1
    if info is not None:  # a worker may be killed at any moment: it reports what it has done so far
        record.drop("worker")
        sampler.tell()
        record.line("worker", id=info.id, pid=os.getpid(), parent=os.getppid(), **_made)
        record.flush()


def made():
    """The samples that this process made itself."""
    return dict(_made)


@record.safe
def share_folder():
    """A worker that is killed leaves its temporary folder behind. Where the program has one, all workers use that."""
    global _folder
    from multiprocessing import process, util

    if process.current_process()._config.get("tempdir") is None:
        _folder = util.get_temp_dir(), os.getpid()


def remove_folder():
    """What multiprocessing does at a normal end."""
    folder, owner = _folder
    if owner == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)
