"""Makes a program need less memory, to weigh what that costs."""

import gc
import sys


def checkpoint():
    """Turns gradient checkpointing on in the models of transformers that train. Gives how many there are."""
    module = sys.modules.get("transformers.modeling_utils")
    base = getattr(module, "PreTrainedModel", None)
    if base is None:
        return 0
    models = [thing for thing in gc.get_objects() if isinstance(thing, base)]
    inner = {id(part) for model in models for part in model.modules() if part is not model}
    count = 0
    for model in models:
        if id(model) not in inner and getattr(model, "supports_gradient_checkpointing", False):
            model.gradient_checkpointing_enable()
            model.config.use_cache = False
            count += 1
    return count
