from transformers import TrainerCallback as _TrainerCallback


class _SaturateCallback(_TrainerCallback):
    def __init__(self, trainer):
        trainer.compute_loss = _saturate.around("Forward", trainer.compute_loss)
        trainer.accelerator.backward = _saturate.around("Backward", trainer.accelerator.backward)
        self.samples = hasattr(trainer, "get_batch_samples")
        if self.samples:
            trainer.get_batch_samples = _saturate.around("DataLoading", trainer.get_batch_samples)

    def on_train_begin(self, args, state, control, **kwargs):
        _saturate.start()

    def on_step_begin(self, args, state, control, **kwargs):
        _saturate.end("DataLoading")

    def on_pre_optimizer_step(self, args, state, control, **kwargs):
        _saturate.begin("Optimizer")

    def on_optimizer_step(self, args, state, control, **kwargs):
        _saturate.end("Optimizer")

    def on_step_end(self, args, state, control, **kwargs):
        _saturate.end("Optimizer")
        _saturate.step()
        if not self.samples:  # before transformers 4.46: from the end of a step to the next one's beginning
            _saturate.begin("DataLoading")

    def on_train_end(self, args, state, control, **kwargs):
        _saturate.finish()


def _saturate_trainers(made):
    """Measures what trainers of a class do from now on."""
    train = made.train
    if hasattr(train, "_saturate"):
        return

    @_functools.wraps(train)
    def measured(self, *args, **kwargs):
        self.add_callback(_SaturateCallback(self))
        return train(self, *args, **kwargs)

    measured._saturate = True
    made.train = measured
