"""A checkpoint in every step, most of which is packing what is saved."""

import os
import tempfile

import torch
from hand import model, tell, timed, train

folder = tempfile.TemporaryDirectory()


@timed("function")
def pack(values):
    checksum = 0
    for i in range(60_000):
        checksum = (checksum * 31 + i) & 0xFFFFFFFF
    return checksum, values


class State:
    def __reduce__(self):
        return dict, ([pack(7)],)


@timed("part")
def save_checkpoint():
    torch.save({"model": model.state_dict(), "state": State()}, os.path.join(folder.name, "last.pt"))


train([torch.ones(4, 8)] * 100_000, after=save_checkpoint)
tell()
