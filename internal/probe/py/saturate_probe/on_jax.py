"""What the probe wraps in JAX: compiled functions, and the places where the host waits for the device.

    jax.jit, jax.pmap                               jit, the end of a step
    jax.grad, jax.value_and_grad, not compiled      gradient, the end of a step
    block_until_ready, reading an array's value     wait
    jax.device_put                                  h2d

A call of a compiled function returns before the device has finished it: a step ends when its result is ready,
see completions.py. From the call to that moment is "jit", waiting for another result is "wait", and neither is called
forward. The step is the function with the largest arguments that is called again and again: a compiled one or, in a
program that compiles no step, a gradient.
"""

import functools
import sys

from . import batches, completions, record, samples, steps
from .record import safe


def imported(jax, settings):
    watch = Watch(jax, steps.shared(settings), settings)
    for part in (watch.compiled, watch.gradients, watch.waits, watch.copies, watch.compilations):
        try:
            part()
        except Exception:
            record.failed("jax, " + part.__name__)
    batches.jax_imported(watch.steps)


class Watch:
    def __init__(self, jax, shared, settings):
        self.jax, self.steps, self.settings = jax, shared, settings
        self.root = steps.Root(shared, "train", 8, self._larger, sticks=True)
        self.compiling = 0
        self.sizes = {}  # of the arguments of gradients, by the code that they are of
        self.inputs = samples.JaxInputs(jax) if samples.start(settings) else None

    def _larger(self, size):
        if self.settings.get("trace") and not self.torch_trains():
            from . import tracing

            if not isinstance(self.steps.tracer, tracing.JaxTracer):
                self.steps.tracer = tracing.JaxTracer(self.jax, self.settings, self.steps)

    def torch_trains(self):
        on_torch = sys.modules.get(__package__ + ".on_torch")
        return on_torch is not None and on_torch.current is not None and on_torch.current.main.exists

    def compiled(self):
        for name in ("jit", "pmap"):
            setattr(self.jax, name, self._maker(getattr(self.jax, name)))

    def _maker(self, make):
        @functools.wraps(make)
        def wrapped(*args, **kwargs):
            function = make(*args, **kwargs)
            if hasattr(function, "lower"):
                return Compiled(function, self)
            if callable(function) and not args:  # jit(static_argnums=0) gives a decorator
                return self._maker(function)
            return function

        return wrapped

    def gradients(self):
        for name in ("grad", "value_and_grad"):
            setattr(self.jax, name, self._differentiator(getattr(self.jax, name)))

    def _differentiator(self, make):
        @functools.wraps(make)
        def wrapped(*args, **kwargs):
            function = make(*args, **kwargs)
            return Gradient(function, self, args, kwargs) if callable(function) else function

        return wrapped

    def first(self, function, compiled):
        """The first call of a function has to compile: no later step will."""
        if function.size is None and self.compiling > compiled:
            self.compiling = compiled
            self.steps.tags.add("warmup")

    @safe
    def called(self, function, args, kwargs, result):
        """A compiled function, or a gradient, has been called."""
        if self.torch_trains():
            return
        if function.size is None:
            leaves = self.jax.tree_util.tree_leaves((args, kwargs))
            function.size = sum(getattr(leaf, "size", 1) for leaf in leaves)
        self.root.called(function, function.size, lambda: self._note((args, kwargs), result))

    def traced(self, args, kwargs):
        """Whether this is part of a function that is being compiled or differentiated."""
        return any(isinstance(leaf, self.jax.core.Tracer) for leaf in self.jax.tree_util.tree_leaves((args, kwargs)))

    def _note(self, given, result):
        """The step ends when its smallest result is ready; its loss is the only scalar among the results."""
        self.steps.passes.batch_used()
        self._ends_with(given, result)
        if not self.steps.keeps_loss:
            return
        numbers = []
        for leaf in self.jax.tree_util.tree_leaves(result):
            if getattr(leaf, "size", 0) == 1 and getattr(leaf, "dtype", None) is not None and leaf.dtype.kind == "f":
                numbers.append(leaf)
        if len(numbers) == 1 and hasattr(numbers[0], "is_ready"):
            self.steps.losses.append(Late(numbers[0]))

    def _ends_with(self, given, result):
        shared, leaves = self.steps, self.jax.tree_util.tree_leaves
        if shared.timeline is None:
            shared.timeline = completions.Timeline(shared.begin)
            shared.timeline.edge(None)
        if isinstance(shared.timeline, completions.Timeline):
            handed_through = {id(leaf) for leaf in leaves(given)}
            made = [leaf for leaf in leaves(result) if hasattr(leaf, "is_ready") and id(leaf) not in handed_through]
            shared.timeline.result = min(made, key=lambda leaf: leaf.size, default=None)

    def waits(self):
        array = sys.modules["jax._src.array"].ArrayImpl
        self.jax.block_until_ready = self._phase("wait", self.jax.block_until_ready)
        array.block_until_ready = self._phase("wait", array.block_until_ready)
        value = array.__dict__.get("_value")
        if isinstance(value, property):
            array._value = property(self._phase("wait", value.fget))

    def copies(self):
        self.jax.device_put = self._phase("h2d", self.jax.device_put)

    def _phase(self, name, function):
        shared = self.steps

        def call(*args, **kwargs):
            if shared.busy or shared.begin is None or not shared.enter(name):
                return function(*args, **kwargs)
            try:
                return function(*args, **kwargs)
            finally:
                shared.leave(name)

        call.__name__, call.__doc__ = name, getattr(function, "__doc__", None)
        return call

    def compilations(self):
        """A step in which XLA compiled is not an ordinary one, at first or again."""

        def listen(event, seconds, **_):
            if event.endswith("backend_compile_duration"):
                self.compiling += 1

        def compiled():
            count, self.compiling = self.compiling, 0
            return "recompilation" if count else None

        self.jax.monitoring.register_event_duration_secs_listener(listen)
        self.steps.noticed.append(compiled)


class Compiled:
    """A compiled function that reports its calls; in everything else it is the original one."""

    def __init__(self, function, watch):
        self.__dict__.update(_function=function, _watch=watch, size=None)
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args, **kwargs):
        watch, shared = self._watch, self._watch.steps
        if shared.busy or not shared.enter("jit"):
            return self._function(*args, **kwargs)
        compiled = watch.compiling
        if watch.inputs is not None and self.size is not None and self.size == watch.root.largest:
            watch.inputs.called(args, kwargs)
        try:
            result = self._function(*args, **kwargs)
        finally:
            shared.leave("jit")
        if watch.inputs is not None:
            watch.inputs.returned(result)
        watch.first(self, compiled)
        watch.called(self, args, kwargs, result)
        return result

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __repr__(self):
        return repr(self._function)


class Gradient(Compiled):
    """A gradient that reports its calls where it is not part of a compiled function; often it is made anew in each step."""

    def __init__(self, function, watch, args, kwargs):
        super().__init__(function, watch)
        of = args[0] if args else kwargs.get("fun")
        argnums = args[1] if len(args) > 1 else kwargs.get("argnums", 0)
        self.__dict__.update(
            code=getattr(of, "__code__", of), learned={argnums} if isinstance(argnums, int) else set(argnums or ())
        )

    def __call__(self, *args, **kwargs):
        watch, shared = self._watch, self._watch.steps
        if shared.busy or watch.traced(args, kwargs) or not shared.enter("gradient"):
            return self._function(*args, **kwargs)
        self.__dict__["size"], compiled = watch.sizes.get(self.code), watch.compiling
        if watch.inputs is not None and self.size is not None and self.size == watch.root.largest:
            watch.inputs.given([a for at, a in enumerate(args) if at not in self.learned], kwargs)
        try:
            result = self._function(*args, **kwargs)
        finally:
            shared.leave("gradient")
        watch.first(self, compiled)
        watch.called(self, args, kwargs, result)
        watch.sizes[self.code] = self.size
        return result


class Late:
    """A number that the device is still working on."""

    def __init__(self, array):
        self.array = array

    def ready(self):
        return self.array.is_deleted() or self.array.is_ready()

    def __call__(self):
        return float("nan") if self.array.is_deleted() else float(self.array)
