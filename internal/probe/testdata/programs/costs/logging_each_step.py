"""A record in every step, which a slow formatter makes."""

import logging

import torch
from hand import tell, timed, train

log = logging.getLogger("train")


class Table(logging.Formatter):
    @timed("function")
    def format(self, record):
        width = 0
        for i in range(40_000):
            width = max(width, i % 97)
        return super().format(record)


handler = logging.StreamHandler(open("/dev/null", "w"))
handler.setFormatter(Table())
log.addHandler(handler)
log.propagate = False


@timed("part")
def log_step():
    log.warning("a step")


train([torch.ones(4, 8)] * 100_000, after=log_step)
tell()
