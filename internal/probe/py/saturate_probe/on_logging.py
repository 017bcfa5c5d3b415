"""Time that the loop spends on showing its progress: loggers, progress bars, and the writers of experiment trackers."""

import functools
import sys

from . import steps


def logging_imported(module, settings):
    # Not the calls before it: they look for the line that logs, which must be the program's.
    module.Logger.handle = _phase(module.Logger.handle)


def tensorboard_imported(module, settings):
    writer = module.SummaryWriter
    for name in [name for name in vars(writer) if name.startswith("add_") or name == "flush"]:
        setattr(writer, name, _phase(getattr(writer, name)))


def wandb_imported(module, settings):
    module.Run.log = _phase(module.Run.log)


def mlflow_imported(module, settings):
    for name in ("log_metric", "log_metrics", "log_artifact", "log_image", "log_figure"):
        if hasattr(module, name):
            setattr(module, name, _phase(getattr(module, name)))


def tqdm_imported(module, settings):
    bar = module.tqdm  # the notebook's and rich's bars are its subclasses
    bar.refresh = _phase(bar.refresh)
    bar.set_postfix = _phase(bar.set_postfix)  # the text of a GPU tensor waits for the GPU
    bar.write = classmethod(_phase(vars(bar)["write"].__func__))


def _phase(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        watched = steps.watched()
        if watched is None or watched.busy or _is_compiling() or not watched.enter("logging"):
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            watched.leave("logging")

    return call


def _is_compiling():
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return compiler is not None and hasattr(compiler, "is_compiling") and compiler.is_compiling()
