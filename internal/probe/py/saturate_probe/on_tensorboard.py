"""Hooks into TensorBoard's writers: the time they take, and their part in --attach."""

import functools

from . import on_logging, record, steps


def imported(module, settings):
    """Only the program knows its writers, so each reports when it is created."""
    on_logging.tensorboard_imported(module, settings)
    if not settings.get("attach"):
        return
    init = module.SummaryWriter.__init__

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        record.safe(steps.shared(settings).summary.writer_made)(self)

    module.SummaryWriter.__init__ = __init__
