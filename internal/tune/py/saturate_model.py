"""Calls a model again and again with a synthetic input, so that settings can be measured on a bare model file.

    saturate_model.py MODEL [--shape 1x80x3000[:int64],…] [--calls 50] [--device auto]

MODEL is a TorchScript file, a file of torch.export (.pt2), or a function in a Python file or module: model.py:make,
my.models:make. The input has the given shape; without one it is the example of an exported model, a mel spectrogram
of 30 s for a Whisper model, or what the first layer accepts.
"""

import argparse
import importlib
import os
import sys

import torch
from saturate_inputs import example_inputs


def main():
    parser = argparse.ArgumentParser(prog="saturate_model")
    parser.add_argument("model")
    parser.add_argument("--shape", default="")
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    torch.manual_seed(0)
    device = options.device if options.device != "auto" else _device()
    model, example = load(options.model)
    model = model.to(device)
    if not isinstance(model, torch.fx.GraphModule):  # an exported model has no modes
        model.eval()
    args, kwargs, told = inputs(model, example, options.shape)
    args = [_to(a, device) for a in args]
    kwargs = {name: _to(a, device) for name, a in kwargs.items()}
    print("input: %s on %s" % (told, device), flush=True)
    with torch.no_grad():
        for i in range(max(8, options.calls)):  # 3 to warm up and 5 to be timed, at least
            try:
                model(*args, **kwargs)
            except Exception as error:
                if i:
                    raise
                said = str(error).strip().split("\n")
                said = said[-1 if "TorchScript" in said[0] else 0]  # TorchScript puts its own code before the message
                sys.exit("cannot call the model with %s: %s; set the input shape with --shape" % (told, said))


def load(name):
    """The model, and the inputs that it was exported with."""
    file, _, factory = name.rpartition(":")
    if file and not os.path.exists(name):
        return _made(file, factory), None
    if not os.path.exists(name):
        sys.exit("model %s does not exist" % name)
    if name.endswith(".pt2"):
        program = torch.export.load(name)
        return program.module(), program.example_inputs
    try:
        return torch.jit.load(name, map_location="cpu"), None
    except RuntimeError as error:
        first = str(error).strip().split("\n")[0]
        sys.exit("%s is not a TorchScript file: %s; name the function that makes the model, such as model.py:make" % (name, first))


def _made(file, factory):
    if file.endswith(".py"):
        if not os.path.exists(file):
            sys.exit("%s does not exist" % file)
        sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
        file = os.path.splitext(os.path.basename(file))[0]
    else:
        sys.path.insert(0, os.getcwd())
    module = importlib.import_module(file)
    if not hasattr(module, factory):
        sys.exit("%s has no %s" % (file, factory))
    made = getattr(module, factory)
    return made if isinstance(made, torch.nn.Module) else made()


def inputs(model, example, shape):
    """Positional and named inputs, and their description."""
    if shape:
        given = [_given(one) for one in shape.split(",")]
        return given, {}, "an input of " + shape
    if example:
        args, kwargs = example
        return list(args), dict(kwargs), "its export inputs"
    found = example_inputs(torch, model)
    if found is None:
        sys.exit("the model's input shape is unknown; set it with --shape, such as --shape 1x3x224x224")
    return found


def _given(text):
    size, _, kind = text.partition(":")
    try:
        dims = [int(n) for n in size.split("x")]
        dtype = getattr(torch, kind or "float32")
    except (ValueError, AttributeError):
        sys.exit("%r is not a shape; use 1x80x3000 or 1x128:int64" % text)
    return torch.randn(*dims).to(dtype) if dtype.is_floating_point else torch.zeros(*dims, dtype=dtype)


def _to(value, device):
    return value.to(device) if isinstance(value, torch.Tensor) else value


def _device():
    if torch.cuda.is_available():
        return "cuda"
    mps = getattr(torch.backends, "mps", None)
    return "mps" if mps is not None and mps.is_available() else "cpu"


if __name__ == "__main__":
    main()
