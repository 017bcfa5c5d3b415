"""Calls a function when the program has imported a module. It imports nothing itself."""

import sys
from importlib import import_module

from . import record, tuning

# The module to wait for, and what prepares it then: file and function of this package.
HOOKS = {
    "numpy": ("seeds", "numpy_imported"),
    "torch": ("on_torch", "imported"),
    "jax": ("on_jax", "imported"),
    "transformers.generation.utils": ("on_frameworks", "generation_imported"),
    "lightning.pytorch.strategies.strategy": ("on_frameworks", "lightning_imported"),
    "pytorch_lightning.strategies.strategy": ("on_frameworks", "lightning_imported"),
    "transformers.training_args": ("trainers", "arguments_imported"),
    "transformers.trainer": ("trainers", "trainer_imported"),
    "lightning.pytorch.trainer.trainer": ("trainers", "lightning_imported"),
    "pytorch_lightning.trainer.trainer": ("trainers", "lightning_imported"),
    "accelerate.accelerator": ("trainers", "accelerator_imported"),
    "safetensors.torch": ("on_frameworks", "safetensors_imported"),
    "logging": ("on_logging", "logging_imported"),
    "torch.utils.tensorboard.writer": ("on_tensorboard", "imported"),
    "tensorboardX.writer": ("on_tensorboard", "imported"),
    "wandb.sdk.wandb_run": ("on_logging", "wandb_imported"),
    "tqdm.std": ("on_logging", "tqdm_imported"),
    "mlflow.tracking.fluent": ("on_logging", "mlflow_imported"),
}

_settings = None


def install(settings):
    global _settings
    _settings = settings
    sys.meta_path.insert(0, _Finder)
    for name in HOOKS:
        if name in sys.modules:
            _prepare(sys.modules[name])


def _prepare(module):
    tuning.imported(module.__name__)
    file, function = HOOKS[module.__name__]
    try:
        getattr(import_module("." + file, __package__), function)(module, _settings)
    except Exception:
        record.failed("the import of " + module.__name__)


class _Finder:
    """The first finder. It finds nothing itself, and watches only the modules in HOOKS."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in HOOKS:
            return None
        for finder in sys.meta_path:
            if finder is _Finder or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _watch(spec)
                return spec
        return None

    @staticmethod
    def invalidate_caches():
        pass


def _watch(spec):
    """Makes the loader report when it has run the module; otherwise the loader does not change."""
    loader = spec.loader
    run = getattr(loader, "exec_module", None)
    if run is None:
        return

    def exec_module(module):
        try:
            del loader.exec_module
        except AttributeError:
            pass
        run(module)
        _prepare(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        record.note("the import of %s cannot be watched: its loader is %r" % (spec.name, type(loader).__name__))
