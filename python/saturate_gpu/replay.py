"""A training step that is recorded as one CUDA graph: the host starts one thing instead of thousands of kernels.

    @replayed(optimizer)
    def train_step(features, labels):
        loss = model(features, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

For each shape of the arguments, the first calls run plainly. Then the step is recorded, and the recording is replayed. What
comes back is detached. The learning rate may change in every step: the recording reads it from the device. Whatever else the
step takes from the host (other settings of the optimizer, numbers among the arguments) belongs to a recording. If it
changes, there is another recording, and after MOST of them the step runs plainly.

A recording repeats what the host decided when it was made. So a step that waits for the device, or that depends on numbers drawn
on the host, is refused with a RuntimeError. On a CPU, or with TORCHDYNAMO_DISABLE=1, every call runs plainly.
"""

from __future__ import annotations

import contextlib
import copy
import operator
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

PLAIN = 3  # calls before a recording: they compile, choose algorithms and create the optimizer's state
MOST = 8  # recordings; each keeps memory of its own


def replayed(optimizer: torch.optim.Optimizer) -> Callable[[Callable[..., Any]], Replay]:
    """A step that is defined again, for another epoch or for each batch, goes on with its recordings if it means the same objects."""
    known = optimizer.__dict__.setdefault("_replayed_steps", {})

    def recorded(step: Callable[..., Any]) -> Replay:
        code = step.__code__
        if code not in known or not _same(known[code].step, step):
            known[code] = Replay(step, optimizer)
        return known[code]

    return recorded


def _same(one: Any, other: Any) -> bool:
    """Whether two functions with the same code also have the same variables around them."""
    try:
        around = [[cell.cell_contents for cell in step.__closure__ or ()] for step in (one, other)]
    except ValueError:  # one of them is not set yet
        return False
    return one.__globals__ is other.__globals__ and len(around[0]) == len(around[1]) and all(map(operator.is_, *around))


class Replay:
    def __init__(self, step: Callable[..., Any], optimizer: torch.optim.Optimizer) -> None:
        self.step, self.optimizer = step, optimizer
        self.recordings: dict[Any, Recording] = {}
        self.rates: list[Any] = []  # on the device, one for each group of parameters

    def __call__(self, *arguments: Any) -> Any:
        tensors: list[torch.Tensor] = []
        shape = _shape(arguments, tensors)
        if os.environ.get("TORCHDYNAMO_DISABLE") == "1" or not any(tensor.is_cuda for tensor in tensors):
            return self.step(*arguments)
        if not all(tensor.is_cuda for tensor in tensors):
            raise RuntimeError("the step cannot be recorded: it is given a tensor that is not on the GPU")
        self._prepare(tensors[0].device)
        key = shape, self._settings()
        if key not in self.recordings and len(self.recordings) < MOST:
            self.recordings[key] = Recording(self.step)
        with self._rates_on_device():
            recording = self.recordings.get(key)
            return recording(arguments) if recording else self.step(*arguments)

    def _prepare(self, device: torch.device) -> None:
        """The optimizer computes with numbers on the device from now on."""
        groups = self.optimizer.param_groups
        if len(self.rates) == len(groups):
            return
        self.recordings.clear()
        self.rates = [torch.zeros((), device=device) if "capturable" in group or group.get("fused") else None for group in groups]
        for group in groups:
            if "capturable" in group:
                group["capturable"] = True
        setattr(self.optimizer, "_warned_capturable_if_run_uncaptured", True)  # the first calls do so on purpose
        for parameter, state in self.optimizer.state.items():
            if isinstance(state.get("step"), torch.Tensor):
                state["step"] = state["step"].to(parameter.device)

    def _settings(self) -> tuple[Any, ...]:
        """What a recording holds of the optimizer: its settings, and which weights are trained."""
        groups = self.optimizer.param_groups
        return tuple(
            (name, repr(value)) for group, rate in zip(groups, self.rates) for name, value in group.items()
            if name != "params" and not (name == "lr" and rate is not None) and not isinstance(value, torch.Tensor)
        ), tuple(parameter.requires_grad for group in groups for parameter in group["params"])

    @contextlib.contextmanager
    def _rates_on_device(self) -> Iterator[None]:
        """The program and its schedulers see numbers, and the step reads them from the device."""
        groups = [(group, group["lr"], rate) for group, rate in zip(self.optimizer.param_groups, self.rates)
                  if rate is not None and not isinstance(group["lr"], torch.Tensor)]
        for group, value, rate in groups:
            rate.fill_(value)
            group["lr"] = rate
        try:
            yield
        finally:
            for group, value, _ in groups:
                group["lr"] = value


class Recording:
    """The step for arguments of one shape."""

    stream: Any = None  # all recordings are made on one, and share their memory: they never run at the same time
    first: Any = None  # a graph whose memory the others share; without any graph that uses it, the memory would be gone

    def __init__(self, step: Callable[..., Any]) -> None:
        self.step, self.plain = step, PLAIN
        self.graph: Any = None

    def __call__(self, arguments: tuple[Any, ...]) -> Any:
        if self.plain > 0:
            self.plain -= 1
            return self._plainly(arguments)
        if self.graph is None:
            self.arguments = _each(torch.Tensor.clone, arguments)
            self._record()
        _copy(self.arguments, arguments)
        self.graph.replay()
        for size in self.drawn:  # what is drawn later, such as the order of samples, stays the same
            torch.rand(size)
        return _each(lambda tensor: tensor.detach().clone(), self.result)

    def _plainly(self, arguments: tuple[Any, ...]) -> Any:
        """Runs on the stream of the recordings: what is created there for later stays valid in them."""
        Recording.stream = Recording.stream or torch.cuda.Stream()
        Recording.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(Recording.stream):
            result = self.step(*arguments)
        torch.cuda.current_stream().wait_stream(Recording.stream)
        return _each(torch.Tensor.detach, result)

    def _record(self) -> None:
        low = _Draws(0.0)
        self._capture(low)
        self.drawn = low.sizes
        if low.sizes:  # numbers were drawn: if they decide anything, the smallest and the largest decide otherwise
            high = _Draws(1 - 2**-24)
            self._capture(high)
            if low.read or high.read or low.modules != high.modules:
                raise RuntimeError(_REFUSED + "it depends on numbers that torch.rand draws on the host")

    def _capture(self, draws: _Draws) -> None:
        self.graph, pool = torch.cuda.CUDAGraph(), Recording.first and Recording.first.pool()
        try:
            # Another thread may pin memory at the same time, which recordings forbid to their own thread only.
            with draws, torch.cuda.graph(self.graph, pool=pool, stream=Recording.stream, capture_error_mode="thread_local"):
                self.result = _each(torch.Tensor.detach, self.step(*self.arguments))
        except RuntimeError as error:
            raise RuntimeError(_REFUSED + str(error).strip().partition("\n")[0]) from error
        if draws.others:
            raise RuntimeError(_REFUSED + "it draws random numbers on the host")
        Recording.first = Recording.first or self.graph


_REFUSED = "the step cannot be recorded as a CUDA graph: "


class _Draws:
    """What a step draws on the host while it is recorded: torch.rand gives the same value throughout."""

    READS = "item", "tolist", "numpy", "__float__", "__int__"

    def __init__(self, value: float) -> None:
        self.value = value
        self.sizes: list[Any] = []
        self.modules = 0  # calls of modules by code that is not compiled
        self.read = False  # a tensor of the host became a number
        self.others = False

    def __enter__(self) -> None:
        self.before = self._states()
        self.rand, self.profile = torch.rand, sys.getprofile()
        self.methods = {name: getattr(torch.Tensor, name) for name in self.READS}
        torch.rand = self._rand
        for name, method in self.methods.items():
            setattr(torch.Tensor, name, self._noted(method))
        sys.setprofile(self._called)

    def __exit__(self, *_: Any) -> None:
        sys.setprofile(self.profile)
        torch.rand = self.rand
        for name, method in self.methods.items():
            setattr(torch.Tensor, name, method)
        self.others = self._states() != self.before

    def _states(self) -> list[Any]:
        numpy = sys.modules.get("numpy")
        return [random.getstate(), torch.get_rng_state().tolist(), repr(numpy.random.get_state()[1:3]) if numpy else None]

    def _rand(self, *size: Any, **options: Any) -> Any:
        state = torch.get_rng_state()
        drawn = self.rand(*size, **options)
        if drawn.is_cpu and options.get("generator") is None:
            torch.set_rng_state(state)
            self.sizes.append(tuple(drawn.shape))
            drawn.fill_(self.value)
        return drawn

    def _noted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(tensor: torch.Tensor, *rest: Any, **options: Any) -> Any:
            self.read = True
            return method(tensor, *rest, **options)
        return noted

    def _called(self, frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is torch.nn.Module._wrapped_call_impl.__code__:
            self.modules += 1


def _shape(value: Any, tensors: list[torch.Tensor]) -> Any:
    """What a recording holds of its arguments: all but the contents of tensors."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return tuple(value.shape), value.stride(), value.dtype, value.device
    if isinstance(value, Mapping):
        return type(value), tuple((name, _shape(part, tensors)) for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_shape(part, tensors) for part in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return type(value), value
    raise RuntimeError(_REFUSED + f"it is given a {type(value).__name__}")


def _each(do: Callable[[torch.Tensor], Any], value: Any) -> Any:
    """The same with other tensors."""
    if isinstance(value, torch.Tensor):
        return do(value)
    if isinstance(value, Mapping):
        other: Any = copy.copy(value)
        for name, part in value.items():
            other[name] = _each(do, part)
        return other
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_each(do, part) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_each(do, part) for part in value)
    return value


def _copy(places: Any, values: Any) -> None:
    """Copies tensors to the places that the recording reads."""
    if isinstance(places, torch.Tensor):
        places.copy_(values)
    elif isinstance(places, Mapping):
        for name, place in places.items():
            _copy(place, values[name])
    elif isinstance(places, (list, tuple)):
        for place, value in zip(places, values):
            _copy(place, value)
