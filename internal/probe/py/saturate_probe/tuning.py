"""Loads the module that applies settings, where the launcher asks for one, and writes down what it reports.

The module has start(plan, report, hook=False), imported(name) for a library that the program has just imported,
poll() for the end of each step, and finish() for the end of the process.
"""

import atexit
import json
import os

from . import record

_module = None


def start(settings):
    """Before the program's first line. What the module is to know of the program's results comes into the settings."""
    text = os.environ.get("SATURATE_TUNING")
    if not text:
        return
    from importlib.util import module_from_spec, spec_from_file_location

    global _module
    told = json.loads(text)
    settings["results"] = told.get("results")
    spec = spec_from_file_location("saturate_tune", told["module"])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.start(told["plan"], report, hook=False)
    _module = module
    atexit.register(finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)


def _forked():
    """A child has its parent's settings, and the parent reports them."""
    global _module
    _module = None


def report(fields):
    record.line("tune", report=fields)
    record.flush(now=True)


@record.safe
def imported(name):
    if _module is not None:
        _module.imported(name)


@record.safe
def poll():
    if _module is not None:
        _module.poll()


@record.safe
def finish():
    """Once: when the program has made its steps, or when it ends."""
    global _module
    module, _module = _module, None
    if module is not None:
        module.finish()
