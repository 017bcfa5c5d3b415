"""Watches a training or inference program from inside, without changing it.

    sitecustomize ─> start ─> imports: when torch, jax … are imported ─> on_torch, on_jax … wrap them
    wrapped calls ─> steps: phases and step boundaries ─> record: one JSON line per step, written late

Standard library only. A failure in here becomes a line of the Run, never an exception in the program.
"""

import os
import sys


def start():
    """Decides whether to watch this process, and if so prepares for the modules it may import."""
    text = os.environ.get("SATURATE_PROBE")
    if not text or not _wanted():
        return
    import json

    from . import batches, imports, preload, record, tuning

    settings = json.loads(text)
    if not os.path.isdir(settings["folder"]):
        return  # a process that has outlived its run
    record.open(settings)
    preload.start(settings)
    try:
        tuning.start(settings)
    except Exception:
        record.failed("the settings")
    batches.start()
    if settings.get("seed") is not None:
        import random

        random.seed(settings["seed"])
    imports.install(settings)


# Processes that Python starts for its own purposes, or that build and install things.
_HELPERS = (
    "multiprocessing.resource_tracker",
    "multiprocessing.semaphore_tracker",
    "torch._inductor.compile_worker",
    "torch/_inductor/compile_worker",
    "torch._inductor.autotune_process",
)
_TOOLS = ("pip", "ensurepip", "venv", "virtualenv", "setuptools", "conda", "ninja", "cmake", "nvidia_smi")


def _wanted():
    argv = getattr(sys, "orig_argv", None) or getattr(sys, "argv", None) or []
    for i, arg in enumerate(argv[1:], 1):
        if any(name in arg for name in _HELPERS):
            return False
        if arg == "-m" and i + 1 < len(argv):
            return argv[i + 1].split(".")[0] not in _TOOLS
        if not arg.startswith("-"):
            return os.path.basename(arg).rstrip("0123456789.") not in _TOOLS
    return True
