# Settings that wrap something. Each returns a Hook.


class Hook:
    """What was wrapped: how often it acted, how often the program had done the same itself, how to undo it."""

    def __init__(self, noun, done=""):
        self.noun, self.done = noun, done
        self.count, self.theirs, self.undone = 0, 0, []
        self.smallest = 0  # parameters of a model that is large enough

    def says(self):
        if self.theirs and not self.count:
            return "%d by the program" % self.theirs
        said = "%d %s%s %s" % (self.count, self.noun, "" if self.count == 1 else "s", self.done)
        return said.rstrip() + (", %d by the program" % self.theirs if self.theirs else "")

    def replace(self, owner, name, value):
        inherited = name not in vars(owner)
        old = getattr(owner, name)
        setattr(owner, name, value)
        self.undone.append(lambda: delattr(owner, name) if inherited else setattr(owner, name, old))

    def undo(self):
        while self.undone:
            try:
                self.undone.pop()()
            except Exception as error:
                log.warning("%s cannot be undone: %s", self.says(), error)


def bind_process(cores):
    """Keeps the process and its later children on some cores. Memory comes from the NUMA node that uses it first."""
    hook, old = Hook("core"), os.sched_getaffinity(0)
    wanted = _cpus(cores) & old
    if not wanted:
        raise ValueError("this process may not use any of the cores %s" % cores)
    os.sched_setaffinity(0, wanted)
    hook.count = len(wanted)
    hook.undone.append(lambda: os.sched_setaffinity(0, old))
    return hook


def pin_loaders(value):
    hook, loader = Hook("loader", "pinned"), sys.modules["torch"].utils.data.DataLoader
    init = loader.__init__

    @functools.wraps(init)
    def __init__(self, *args, **kwargs):
        if "pin_memory" not in kwargs and len(args) < 8:  # the eighth is pin_memory
            kwargs["pin_memory"] = value
            hook.count += 1
        elif kwargs.get("pin_memory"):
            hook.theirs += 1
        init(self, *args, **kwargs)

    hook.replace(loader, "__init__", __init__)
    return hook


def fuse_optimizers(device):
    """Adam and AdamW become fused unless the program chose otherwise. SGD stays: fused, it fails on sparse gradients."""
    torch, hook, within = sys.modules["torch"], Hook("optimizer", "fused"), threading.local()

    def wrap(init):
        @functools.wraps(init)
        def __init__(self, params, *args, **kwargs):
            if getattr(within, "another", False):  # AdamW is an Adam
                return init(self, params, *args, **kwargs)
            within.another = True
            try:
                make(self, params, args, kwargs)
            finally:
                within.another = False

        def make(self, params, args, kwargs):
            params = _kept(params)
            if isinstance(params, (list, tuple)):
                params = [dict(p, params=_kept(p["params"])) if isinstance(p, dict) and "params" in p else p for p in params]
            chosen = [n for n in ("fused", "foreach") if kwargs.get(n) is not None] + [n for n in ("capturable", "differentiable") if kwargs.get(n)]
            if not chosen and _all_on(torch, device, params):
                try:
                    init(self, params, *args, **dict(kwargs, fused=True))
                    hook.count += 1
                    return
                except (RuntimeError, TypeError, ValueError):
                    self.__dict__.clear()
            hook.theirs += bool(kwargs.get("fused"))
            init(self, params, *args, **kwargs)

        return __init__

    for kind in (torch.optim.Adam, torch.optim.AdamW):
        hook.replace(kind, "__init__", wrap(kind.__init__))
    return hook


def _kept(values):
    """An iterator can be read only once: read it here, and pass on a list."""
    return list(values) if hasattr(values, "__next__") else values


def _all_on(torch, device, params):
    try:
        for p in params:
            group = p["params"] if isinstance(p, dict) else (p,)
            for one in (group,) if isinstance(group, torch.Tensor) else group:
                one = one[1] if isinstance(one, tuple) else one  # with its name
                if one.device.type != device or not one.is_floating_point():
                    return False
    except Exception:
        return False  # torch reports what is wrong with them
    return True


def _on_models(done, act):
    """Calls act once with each model that the program prepares: to, cuda, train or eval of an outermost module.

    act returns how to undo it, or None if the setting does not suit the model. Models it acted on are counted.
    """
    torch, hook, seen, depth = sys.modules["torch"], Hook("model", done), weakref.WeakSet(), threading.local()

    def wrap(method):
        @functools.wraps(method)
        def call(self, *args, **kwargs):
            outer = getattr(depth, "n", 0)
            depth.n = outer + 1
            try:
                result = method(self, *args, **kwargs)
            finally:
                depth.n = outer
            if outer == 0 and isinstance(result, torch.nn.Module):
                prepared(result)
            return result

        return call

    def prepared(module):
        depth.n = 1  # calls that act makes are not the program's
        try:
            if isinstance(module, torch.fx.GraphModule) or any(m in seen for m in module.modules()):
                return  # made by a compiler, or done already
            if hook.smallest and sum(p.numel() for p in module.parameters()) < hook.smallest:
                return
            back = act(torch, module, hook)
            if back is not None:
                seen.add(module)
                hook.undone.append(back)
        except Exception as error:
            log.warning("could not prepare a %s: %s", type(module).__name__, error)
        finally:
            depth.n = 0

    for name in ("to", "cuda", "train", "eval"):
        hook.replace(torch.nn.Module, name, wrap(getattr(torch.nn.Module, name)))
    return hook


def lay_out_models(layout):
    def act(torch, module, hook):
        if not any(isinstance(m, torch.nn.Conv2d) for m in module.modules()):
            return None
        module.to(memory_format=getattr(torch, layout))
        hook.count += 1
        return lambda: module.to(memory_format=torch.contiguous_format)

    return _on_models("laid out", act)


def compile_model(mode):
    def act(torch, module, hook):
        if getattr(module, "_compiled_call_impl", None) is not None or hasattr(module, "_orig_mod"):
            hook.theirs += 1
            return lambda: None
        call = module._call_impl
        if type(module).__module__.startswith("torch.nn."):
            # Module.compile compiles nothing of a plain Sequential up to 2.11: torch's own files are passed over.
            from torch._dynamo.external_utils import wrap_inline

            call = wrap_inline(call)
        module._compiled_call_impl = torch.compile(call, mode=mode)
        hook.count += 1
        return lambda: setattr(module, "_compiled_call_impl", None)

    return _on_models("compiled", act)


def autocast_model(device):
    """The forward of a model in bfloat16; what it returns is float32 again, as the program expects it."""

    def act(torch, module, hook):
        if not any(p.dtype == torch.float32 for p in module.parameters()):
            return None
        region = Region(torch, device, hook)
        before = module.register_forward_pre_hook(region.enter)
        after = module.register_forward_hook(region.leave, always_call=True)
        return lambda: (before.remove(), after.remove())

    return _on_models("in bfloat16", act)


class Region:
    """Autocast around a forward. A model that is saved with these hooks gets hooks that do nothing."""

    def __init__(self, torch, device, hook):
        self.torch, self.device, self.hook, self.open = torch, device, hook, []
        self.enter, self.leave = Silent(self._enter), Silent(self._leave)

    def _enter(self, module, args):
        context = self.torch.autocast(self.device, dtype=self.torch.bfloat16)
        context.__enter__()
        self.open.append(context)

    def _leave(self, module, args, output):
        if self.open:
            self.open.pop().__exit__(None, None, None)
        if self.hook.count == 0:  # it was called: a program may call the parts of a model and never the whole
            self.hook.count = 1
        return self._widen(output)

    def _widen(self, value):
        if isinstance(value, self.torch.Tensor):
            return value.float() if value.dtype == self.torch.bfloat16 else value
        if type(value) in (tuple, list):
            return type(value)(self._widen(v) for v in value)
        if isinstance(value, dict):
            for key in list(value):
                value[key] = self._widen(value[key])
        return value


class Silent:
    def __init__(self, call):
        self.call = call

    def __call__(self, *args):
        return self.call(*args)

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return getattr, (log, "debug")


HOOKS = {f.__name__: f for f in (bind_process, pin_loaders, fuse_optimizers, lay_out_models, compile_model, autocast_model)}
