"""What a trial of a batch size must know about trainers: their accumulation, and when they evaluate."""

import functools
import inspect

from . import batches
from .record import safe


def _after(owner, name, hook):
    function = getattr(owner, name)

    @functools.wraps(function)
    def call(self, *args, **kwargs):
        result = function(self, *args, **kwargs)
        hook(self, *args, **kwargs)
        return result

    setattr(owner, name, call)


def arguments_imported(module, settings):
    """transformers: the evaluation is to come right after the trial's steps, and nothing is to be saved."""
    trial = batches.trial
    if trial is None:
        return

    def made(arguments):
        plan = batches.plan
        trial.facts["trainer"] = "transformers"
        trial.accumulation = arguments.gradient_accumulation_steps
        where = batches.place()
        if where:
            trial.facts["setting"] = {"name": "per_device_train_batch_size", "file": where[0], "line": where[1]}
        evaluates = getattr(arguments, "eval_strategy", None)
        if evaluates is not None and str(getattr(evaluates, "value", evaluates)) != "no":
            arguments.eval_strategy = type(evaluates)("steps")
            arguments.eval_steps, arguments.eval_delay = plan["steps"], 0
        saves = getattr(arguments, "save_strategy", None)
        if saves is not None:
            arguments.save_strategy = type(saves)("no")
        arguments.load_best_model_at_end = False

    _after(module.TrainingArguments, "__post_init__", safe(made))


def trainer_imported(module, settings):
    trial = batches.trial
    if trial is None:
        return

    def made(trainer, *args, **kwargs):
        model = trainer.model
        trial.facts["model"] = type(model).__name__
        if getattr(trainer, "model_accepts_loss_kwargs", False) and getattr(trainer, "compute_loss_func", None) is None:
            # Then the trainer leaves it to the model to divide by the samples of all accumulated batches.
            trial.facts["model_loss"] = "loss_function(" not in inspect.getsource(type(model).forward)

    _after(module.Trainer, "__init__", safe(made))


def lightning_imported(module, settings):
    trial = batches.trial
    if trial is None:
        return

    def made(trainer, *args, **kwargs):
        trial.facts["trainer"] = "lightning"
        trial.accumulation = int(trainer.accumulate_grad_batches)

    _after(module.Trainer, "__init__", safe(made))


def accelerator_imported(module, settings):
    trial = batches.trial
    if trial is None:
        return

    def made(accelerator, *args, **kwargs):
        trial.facts.setdefault("trainer", "accelerate")
        if accelerator.gradient_accumulation_steps > 1:
            trial.accumulation = accelerator.gradient_accumulation_steps

    _after(module.Accelerator, "__init__", safe(made))
