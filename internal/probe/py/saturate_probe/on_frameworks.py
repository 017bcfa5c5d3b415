"""What frameworks on top of PyTorch need besides: most of what they do is seen in PyTorch itself."""

from . import batches, on_torch


def lightning_imported(module, settings):
    """Lightning calls training_step as a plain method: all of it is forward, the loss included."""
    watch = on_torch.current
    if watch is not None:
        module.Strategy.training_step = watch.phase("forward", module.Strategy.training_step)


def generation_imported(module, settings):
    """One call of generate is one iteration, however often it calls the model."""
    watch = on_torch.current
    if watch is not None:
        module.GenerationMixin.generate = batches.generating(watch.iteration(module.GenerationMixin.generate))


def safetensors_imported(module, settings):
    watch = on_torch.current
    if watch is not None:
        module.save_file = watch.checkpoint(module.save_file)
