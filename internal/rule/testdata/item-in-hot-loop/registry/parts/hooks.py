from .registry import HOOKS


@HOOKS.register
class Scalars:
    def __call__(self, runner):
        runner.last = runner.loss.item()  # want SAT301 "runner.loss.item\(\) waits for the GPU in every step"


@HOOKS.register
class Unnamed:
    def __call__(self, runner):
        runner.last = runner.loss.item()
