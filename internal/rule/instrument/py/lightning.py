from LIGHTNING import Callback as _Callback


class _SaturateCallback(_Callback):
    def on_train_start(self, trainer, module):
        _saturate.start()

    def on_train_epoch_start(self, trainer, module):
        _saturate.begin("DataLoading")

    def on_train_batch_start(self, trainer, module, batch, batch_idx):
        _saturate.end("DataLoading")
        _saturate.begin("Forward")

    def on_before_backward(self, trainer, module, loss):
        _saturate.end("Forward")
        _saturate.begin("Backward")

    def on_after_backward(self, trainer, module):
        _saturate.end("Backward")

    def on_before_optimizer_step(self, trainer, module, optimizer):
        _saturate.begin("Optimizer")

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        _saturate.end("Forward")
        _saturate.end("Optimizer")
        _saturate.step()
        _saturate.begin("DataLoading")

    def on_train_epoch_end(self, trainer, module):
        _saturate.end("DataLoading")

    def on_train_end(self, trainer, module):
        _saturate.finish()


def _saturate_trainers(made):
    """Measures what trainers of a class do from now on."""
    fit = made.fit
    if hasattr(fit, "_saturate"):
        return

    @_functools.wraps(fit)
    def measured(self, *args, **kwargs):
        self.callbacks.append(_SaturateCallback())
        return fit(self, *args, **kwargs)

    measured._saturate = True
    made.fit = measured
