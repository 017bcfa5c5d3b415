"""Hooks into TensorBoard's writers, for --attach."""

import functools

from . import record, steps


def imported(module, settings):
    """Writers are known by nobody but the program: each tells when it is made."""
    if not settings.get("attach"):
        return
    init = module.SummaryWriter.__init__

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        init(self, *args, **kwargs)
        record.safe(steps.shared(settings).summary.writer_made)(self)

    module.SummaryWriter.__init__ = __init__
