"""What the probe wraps in PyTorch, once the program has imported it.

    loader     DataLoader's iterators                     data
    copies     Tensor.to, Tensor.cuda                     h2d
    modules    nn.Module.__call__, the outermost          forward, evaluation
    autograd   torch.autograd.backward and grad           backward
    optimizer  the hooks of all optimizers, GradScaler    optimizer, the end of a step
    graphs     CUDAGraph                                  graph, the end of a step that was recorded whole
    saving     torch.save                                 checkpoint

Wrappers pass everything through unchanged; under torch.compile's tracer they disappear.
"""

import functools
import itertools
import sys
import weakref
from importlib import import_module
from threading import get_ident

from . import batches, facts, on_cuda, record, samples, seeds, steps, workers
from .losses import Loss
from .optimizers import Main
from .record import safe


def imported(torch, settings):
    seeds.torch_imported(torch, settings)
    watch = Watch(torch, settings)
    for part in (watch.loader, watch.copies, watch.modules, watch.autograd, watch.optimizer, watch.scaler,
                 watch.graphs, watch.saving, watch.ranges, watch.compiler):
        try:
            part()
        except Exception:
            record.failed("torch, " + part.__name__)
    if settings.get("trace"):
        from . import tracing

        watch.steps.tracer = tracing.TorchTracer(torch, settings, watch.steps)
    workers.watch(torch, watch.steps)
    samples.torch_imported(torch, watch, settings)
    batches.torch_imported(torch, watch)


current = None  # the Watch of this process


class Watch:
    def __init__(self, torch, settings):
        global current
        current = self
        self.torch = torch
        self.steps = steps.shared(settings)
        self.steps.device = self._timeline
        compiler = getattr(torch, "compiler", None)
        self.is_compiling = getattr(compiler, "is_compiling", None) or (lambda: False)
        self.main = Main(self.steps)
        self.root = steps.Root(self.steps, "inference", 2, functools.partial(facts.extra.__setitem__, "parameters"))
        self.sizes = weakref.WeakKeyDictionary()
        self.loss = Loss(torch, self.steps)

    def _timeline(self):
        """A timeline of the device that the program already uses; the probe initializes none."""
        torch = self.torch
        try:
            if torch.cuda.is_initialized() and not self.steps.capturing:
                return on_cuda.Timeline(functools.partial(torch.cuda.Event, enable_timing=True))
            xpu = getattr(torch, "xpu", None)
            if xpu is not None and xpu.is_initialized():
                return on_cuda.Timeline(functools.partial(xpu.Event, enable_timing=True))
        except Exception:
            record.failed("the device's events")
            self.steps.device = None
        return None

    def phase(self, name, function):
        """A function whose time belongs to a phase, unless it is called within one."""
        steps, is_compiling = self.steps, self.is_compiling

        @functools.wraps(function)
        def call(*args, **kwargs):
            if is_compiling() or steps.busy or not steps.enter(name):
                return function(*args, **kwargs)
            try:
                return function(*args, **kwargs)
            finally:
                steps.leave(name)

        return call

    # Data.

    def loader(self):
        data = self.torch.utils.data
        base = data.dataloader._BaseDataLoaderIter
        steps, fetch, begin = self.steps, base.__next__, data.DataLoader.__iter__
        seen, leaves = safe(facts.of_loader), weakref.WeakKeyDictionary()  # leaves: called when an iterator is freed
        numbers, number = weakref.WeakKeyDictionary(), itertools.count()  # of loaders, and of their iterators, which may outlive them

        @safe
        def starts(loader):
            if loader not in numbers:
                numbers[loader] = next(number)
            if not steps.busy:
                steps.passes.loader_started(numbers[loader])

        @safe
        def started(loader, iterator, began):
            if isinstance(iterator, base):
                numbers[iterator] = numbers[loader]
                if iterator in leaves:  # workers that persist keep theirs
                    leaves[iterator].detach()
                helpers = [process.pid for process in getattr(iterator, "_workers", ())]
                leaves[iterator] = weakref.finalize(iterator, left, numbers[loader], began, helpers)
                leaves[iterator].atexit = False

        @safe
        def left(loader, began, helpers):
            if get_ident() == steps.thread and steps.passes.loader_ended(loader, began) and helpers:
                record.line("evaluation", workers=helpers)  # what they did was for it

        @safe
        def fetched(iterator, batch, asked):
            steps.passes.batch_fetched(numbers.get(iterator), batch, asked)

        @safe
        def emptied(iterator):
            if iterator in leaves:
                leaves.pop(iterator)()

        @functools.wraps(fetch)
        def __next__(self):
            if not steps.enter("data"):
                return fetch(self)
            asked = steps.passes.here()
            try:
                batch = fetch(self)
            except BaseException as error:
                steps.leave("data")
                if isinstance(error, StopIteration):
                    emptied(self)
                    if steps.tracer is not None:
                        steps.tracer.epoch_ended()
                raise
            steps.leave("data")
            fetched(self, batch, asked)
            return batch

        @functools.wraps(begin)
        def __iter__(self):
            seen(self)
            starts(self)
            if getattr(self, "num_workers", 0):
                workers.share_folder()
            if not steps.enter("data"):
                return begin(self)
            began = steps.passes.here()
            try:
                iterator = begin(self)
            finally:
                steps.leave("data")
            started(self, iterator, began)
            return iterator

        base.__next__, data.DataLoader.__iter__ = __next__, __iter__

    def copies(self):
        """Copies from the host to a device."""
        torch, steps, is_compiling = self.torch, self.steps, self.is_compiling
        if not (torch.version.cuda or getattr(torch.version, "hip", None) or getattr(torch.version, "xpu", None)):
            return

        def wrap(function):
            @functools.wraps(function)
            def copy(tensor, *args, **kwargs):
                if is_compiling() or steps.begin is None or steps.busy or not tensor.is_cpu or not _leaves(args, kwargs):
                    return function(tensor, *args, **kwargs)
                if not steps.enter("h2d"):
                    return function(tensor, *args, **kwargs)
                try:
                    return function(tensor, *args, **kwargs)
                finally:
                    steps.leave("h2d")

            return copy

        def _leaves(args, kwargs):
            target = kwargs.get("device", args[0] if args else None)
            if isinstance(target, str):
                return not target.startswith("cpu")
            kind = getattr(target, "type", None)
            return isinstance(kind, str) and kind != "cpu" or type(target) is int

        torch.Tensor.to = wrap(torch.Tensor.to)
        cuda = torch.Tensor.cuda

        @functools.wraps(cuda)
        def to_cuda(tensor, *args, **kwargs):
            if is_compiling() or steps.begin is None or steps.busy or not tensor.is_cpu or not steps.enter("h2d"):
                return cuda(tensor, *args, **kwargs)
            try:
                return cuda(tensor, *args, **kwargs)
            finally:
                steps.leave("h2d")

        torch.Tensor.cuda = to_cuda

    # Forward and backward.

    def modules(self):
        module = self.torch.nn.Module
        module.__call__ = self.iteration(module.__call__)

    def iteration(self, function):
        """A call of a module: forward in a program that trains, an iteration in one that does not."""
        steps, main, is_compiling = self.steps, self.main, self.is_compiling
        grad_enabled, inferred = self.torch.is_grad_enabled, safe(self._inferred)
        traced = getattr(getattr(self.torch, "fx", None), "GraphModule", ())  # code that a compiler made of the program's: it runs without gradients

        @functools.wraps(function)
        def call(module, *args, **kwargs):
            if is_compiling() or steps.busy:
                return function(module, *args, **kwargs)
            trains = main.exists or steps.mode == "train"
            evaluating = trains and not grad_enabled() and not isinstance(module, traced)
            phase = "evaluation" if evaluating else "forward"
            if not steps.enter(phase):
                return function(module, *args, **kwargs)
            began = steps.passes.here() if evaluating else None
            if trains and not evaluating:
                steps.passes.forward(module)
            try:
                result = function(module, *args, **kwargs)
            finally:
                steps.leave(phase)
            if evaluating:
                steps.passes.without_gradients(module, began)
            elif not trains:
                inferred(module, result)
            return result

        return call

    def _inferred(self, module, result):
        size = self.sizes.get(module)
        if size is None:
            size = self.sizes[module] = sum(p.numel() for p in module.parameters())
        if not self.steps.backwards:
            self.root.called(module, size, functools.partial(self._used, result))

    def _used(self, result):
        self.steps.passes.batch_used()
        if self.steps.keeps_results:
            self.loss.of_result(result)

    def autograd(self):
        torch, steps, is_compiling = self.torch, self.steps, self.is_compiling
        backward, note = torch.autograd.backward, safe(self.loss.backward)
        main, fallback = self.main, safe(self.main.backward_ended)

        @functools.wraps(backward)
        def wrapped(tensors=None, *args, **kwargs):
            if tensors is None:
                return backward(*args, **kwargs)
            if is_compiling() or steps.busy or not steps.enter("backward"):
                return backward(tensors, *args, **kwargs)
            note(tensors)
            try:
                return backward(tensors, *args, **kwargs)
            finally:
                steps.leave("backward")
                if not main.steps_seen:
                    fallback()

        torch.autograd.backward = wrapped
        torch.autograd.grad = self.phase("backward", torch.autograd.grad)

    # Optimizer.

    def optimizer(self):
        torch, main = self.torch, self.main
        module, is_compiling = import_module("torch.optim.optimizer"), self.is_compiling
        begin, end = safe(main.begins), safe(main.ends)

        def before(optimizer, args, kwargs):
            if not is_compiling():
                begin(optimizer)

        def after(optimizer, args, kwargs):
            if not is_compiling():
                end(optimizer)

        hooked, returned = module.Optimizer.profile_hook_step, safe(self.steps.returned)

        def profile_hook_step(function):
            """What torch wraps each optimizer's step in: a range, and its hooks."""
            step = hooked(function)

            @functools.wraps(step)
            def call(*args, **kwargs):
                if is_compiling():
                    return step(*args, **kwargs)
                result = step(*args, **kwargs)
                returned()
                return result

            return call

        module.Optimizer.profile_hook_step = staticmethod(profile_hook_step)
        module.register_optimizer_step_pre_hook(before)
        module.register_optimizer_step_post_hook(after)
        init, made = module.Optimizer.__init__, safe(main.made)

        @functools.wraps(init)
        def __init__(self, *args, **kwargs):
            init(self, *args, **kwargs)
            made(self)

        module.Optimizer.__init__ = __init__
        clip = torch.nn.utils.clip_grad_norm_
        torch.nn.utils.clip_grad_norm_ = torch.nn.utils.clip_grad.clip_grad_norm_ = self.phase("optimizer", clip)

    def scaler(self):
        """A GradScaler leaves a step out when gradients are not finite; the iteration counts all the same."""
        torch, steps, main, loss = self.torch, self.steps, self.main, self.loss
        try:
            scaler = torch.amp.grad_scaler.GradScaler
        except AttributeError:
            scaler = torch.cuda.amp.grad_scaler.GradScaler
        scale, step = scaler.scale, scaler.step
        scaled, skipped = safe(loss.scaled), safe(main.skipped)

        @functools.wraps(scale)
        def wrapped_scale(self, outputs):
            result = scale(self, outputs)
            scaled(outputs, result)
            return result

        @functools.wraps(step)
        def wrapped_step(self, optimizer, *args, **kwargs):
            before = main.steps_seen
            entered = steps.enter("optimizer")
            try:
                return step(self, optimizer, *args, **kwargs)
            finally:
                if entered:
                    steps.leave("optimizer")
                    if main.steps_seen == before:
                        skipped(optimizer)

        scaler.scale, scaler.step = wrapped_scale, wrapped_step

    # The rest.

    def graphs(self):
        """A step that was recorded as a CUDA graph is over when the graph is replayed."""
        graph = getattr(self.torch.cuda, "CUDAGraph", None)
        if graph is None or not hasattr(graph, "replay"):
            return
        steps, main, loss = self.steps, self.main, self.loss
        begin, end, replay = graph.capture_begin, graph.capture_end, graph.replay
        replayed = safe(main.replayed)
        main.graphs = weakref.WeakKeyDictionary()

        @functools.wraps(begin)
        def capture_begin(self, *args, **kwargs):
            if steps.capturing is None:
                steps.capturing, loss.recorded = self, None
                if steps.begin is not None:
                    steps.tags.add("warmup")
            return begin(self, *args, **kwargs)

        @functools.wraps(end)
        def capture_end(self, *args, **kwargs):
            try:
                return end(self, *args, **kwargs)
            finally:
                if steps.capturing is self:
                    steps.capturing = None
                    if self in main.graphs:
                        main.graphs[self] = loss.recorded

        @functools.wraps(replay)
        def wrapped_replay(self, *args, **kwargs):
            if steps.busy or not steps.enter("graph"):
                return replay(self, *args, **kwargs)
            try:
                return replay(self, *args, **kwargs)
            finally:
                steps.leave("graph")
                replayed(self, loss)

        graph.capture_begin, graph.capture_end, graph.replay = capture_begin, capture_end, wrapped_replay

    def saving(self):
        self.torch.save = self.torch.serialization.save = self.checkpoint(self.torch.save)

    def checkpoint(self, function):
        steps = self.steps

        @functools.wraps(function)
        def save(*args, **kwargs):
            if not steps.enter("checkpoint"):
                return function(*args, **kwargs)
            steps.tags.add("checkpoint")
            try:
                return function(*args, **kwargs)
            finally:
                steps.leave("checkpoint")

        return save

    def ranges(self):
        """The phases in the timelines of other tools: NVTX always, the profiler's own while it records."""
        profiler = self.torch.autograd.profiler

        def mark(name):
            if not profiler._is_profiler_enabled:
                return None
            function = profiler.record_function(name)
            function.__enter__()
            return functools.partial(function.__exit__, None, None, None)

        if hasattr(profiler, "_is_profiler_enabled"):
            self.steps.mark_range = mark
        try:
            nvtx = self.torch._C._nvtx
            nvtx.rangePushA("saturate")
            nvtx.rangePop()
            self.steps.push, self.steps.pop = nvtx.rangePushA, nvtx.rangePop
        except Exception:
            pass  # a torch without CUDA has no NVTX

    def compiler(self):
        """A compiled function is forward; a step in which torch.compile compiled is not an ordinary one."""
        seen, make = [0], getattr(self.torch, "compile", None)

        @functools.wraps(make)
        def compile(*args, **kwargs):
            made = make(*args, **kwargs)
            if isinstance(made, self.torch.nn.Module) or not callable(made):
                return made
            if not args and "model" not in kwargs:  # compile(mode=…) gives a decorator
                return lambda function: compile(function, **kwargs)
            return self.phase("region", made)

        if make is not None:
            self.torch.compile = compile

        def recompiled():
            utils = sys.modules.get("torch._dynamo.utils")
            counters = getattr(utils, "counters", None)
            if counters is None:
                return None
            compiled = counters["stats"].get("unique_graphs", 0) + counters["frames"].get("total", 0)
            if compiled == seen[0]:
                return None
            seen[0] = compiled
            facts.extra["compiled"] = True
            return "recompilation"

        self.steps.noticed.append(recompiled)
