"""Hooks into TensorBoard's writers: the time they take, and their part in --attach."""

import functools

from . import on_logging, record, steps


def imported(module, settings):
    """Writers are known by nobody but the program: each tells when it is made."""
    on_logging.tensorboard_imported(module, settings)
    if not settings.get("attach"):
        return
    init = module.SummaryWriter.__init__

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        record.safe(steps.shared(settings).summary.writer_made)(self)

    module.SummaryWriter.__init__ = __init__
