"""Gives random numbers the seed that was asked for. A program that seeds itself does so later, and wins."""

from . import samples


def numpy_imported(numpy, settings):
    if settings.get("seed") is not None:
        numpy.random.seed(settings["seed"] % 2**32)
    if settings.get("samples"):
        samples.numpy_imported(numpy)


def torch_imported(torch, settings):
    if settings.get("seed") is not None:
        torch.manual_seed(settings["seed"])
