"""Fingerprints of what a program trains on, in a separate short run.

    sample   what the dataset gives for an index, in a worker or not      before batches are made of it
    batch    what a DataLoader hands out, with the indexes it asked for    as loaded, before copies to a device
    input    what the model is called with, and the targets of its loss    what the model sees

Two variants are compared, so random draws must be the same in both: random, numpy, torch and the dataset's generators
are seeded by the epoch and the index before each sample, by the batch before each collate and each step. So a draw does not
depend on which process makes a sample, or on earlier draws. Epochs are cut short, so that more than one is seen.
"""

import functools
import os
import random
import sys
import weakref
from hashlib import blake2b

from . import fingerprint, record
from .record import safe

MOST_SAMPLES = 4096  # of a process

_plan = None  # seed, epoch: batches of each, batches: of the run
_told = 0
_passes = 0  # epochs begun, of any loader
_batches = 0  # handed out
_calls = 0  # of the model
_depth = 0  # modules within modules
_pinned = {}  # id of a dataset: it, and the generators it holds


class Indexes(list):
    """The indexes of a batch, and which batch of which epoch it is: workers have to know."""

    place = None

    def __reduce__(self):
        return _indexes, (list(self), self.place)


class Index(int):
    place = None

    def __reduce__(self):
        return _index, (int(self), self.place)


def _indexes(values, place):
    made = Indexes(values)
    made.place = place
    return made


def _index(value, place):
    made = Index(value)
    made.place = place
    return made


# Random numbers.


def _number(*key):
    return int.from_bytes(blake2b(repr((_plan["seed"],) + key).encode(), digest_size=7).digest(), "big")


class _Pin:
    """Inside, random draws depend only on the key; afterwards they continue as if nothing had been drawn."""

    def __init__(self, key, owner=None):
        self.key, self.owner, self.undo = key, owner, []

    def __enter__(self):
        try:
            self._pin()
        except Exception:
            record.failed("the pinned random numbers")

    def _pin(self):
        number, undo = _number(*self.key), self.undo
        undo.append(functools.partial(random.setstate, random.getstate()))
        random.seed(number)
        numpy = sys.modules.get("numpy")
        if hasattr(numpy, "random"):
            undo.append(functools.partial(numpy.random.set_state, numpy.random.get_state()))
            numpy.random.seed(number % 2**32)
        torch = sys.modules.get("torch")
        generator = getattr(torch, "default_generator", None)
        if generator is not None:
            undo.append(functools.partial(generator.set_state, generator.get_state()))
            generator.manual_seed(number)
        for at, held in enumerate(_held_by(self.owner) if self.owner is not None else ()):
            undo.append(_seed(held, number + at + 1, torch))

    def __exit__(self, *error):
        for undo in reversed(self.undo):
            try:
                undo()
            except Exception:
                record.failed("the pinned random numbers")


def _seed(generator, number, torch):
    """Seeds a generator of any kind; gives what brings its state back."""
    if hasattr(generator, "bit_generator"):
        bits = generator.bit_generator
        before, bits.state = bits.state, type(bits)(number).state
        return functools.partial(setattr, bits, "state", before)
    if hasattr(generator, "setstate"):
        before = generator.getstate()
        generator.seed(number)
        return functools.partial(generator.setstate, before)
    before = generator.get_state()
    generator.manual_seed(number) if torch is not None and isinstance(generator, torch.Generator) else generator.seed(number % 2**32)
    return functools.partial(generator.set_state, before)


def _held_by(owner):
    """The generators that an object holds, and those of the module that its class is from."""
    known = _pinned.get(id(owner))
    if known is None:
        found, seen = [], set()
        _search(owner, found, seen, 4)
        for name in ("__getitem__", "__iter__", "__call__"):
            scope = getattr(getattr(type(owner), name, None), "__globals__", None)
            for value in list((scope or {}).values()):
                if _is_generator(value):
                    _search(value, found, seen, 0)
        known = _pinned[id(owner)] = owner, found
    return known[1]


def _is_generator(value):
    kind = type(value)
    return (
        isinstance(value, random.Random)
        or kind.__name__ in ("Generator", "RandomState")
        and (kind.__module__ or "").split(".")[0] in ("numpy", "torch")
    )


def _search(value, found, seen, depth):
    if id(value) in seen or len(seen) > 2000:
        return
    seen.add(id(value))
    if _is_generator(value):
        found.append(value)
        return
    if depth == 0:
        return
    inner = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, (list, tuple)):
        inner = value
    elif isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, type):
        inner = value.__dict__.values()
    for item in list(inner)[:200]:
        _search(item, found, seen, depth - 1)


def numpy_imported(numpy):
    """A generator without a seed takes one from the system; here it takes one that is pinned."""
    make = numpy.random.default_rng

    @functools.wraps(make)
    def default_rng(seed=None):
        return make(random.getrandbits(64) if seed is None else seed)

    numpy.random.default_rng = default_rng


# Reports.


@safe
def _tell(kind, value, **more):
    global _told
    _told += 1
    if _told > MOST_SAMPLES:
        return
    record.line(kind, fields=fingerprint.of(value), **more)


def start(settings):
    global _plan
    _plan = settings.get("samples")
    return _plan is not None


# PyTorch.


def torch_imported(torch, watch, settings):
    if not start(settings):
        return
    for part in (_fetchers, _loaders, _models, _targets):
        try:
            part(torch, watch)
        except Exception:
            record.failed("the fingerprints, " + part.__name__)


def _fetchers(torch, watch):
    fetch, worker = torch.utils.data._utils.fetch, torch.utils.data.get_worker_info
    subset = torch.utils.data.Subset

    def begun(index):
        if worker() is not None:
            watch.steps.silence()
        return getattr(index, "place", None) or (0, 0)

    def whole(dataset):
        """A dataset that gives a whole batch at once."""
        get = getattr(dataset, "__getitems__", None)
        if get and type(dataset) is subset and not getattr(dataset.dataset, "__getitems__", None):
            return None  # it only asks for one after the other
        return get

    def mapped(self, index):
        place, dataset = begun(index), self.dataset

        def one(at):
            with _Pin((place[0], _shown(at)), dataset):
                sample = dataset[at]
                _tell("sample", sample, index=_shown(at), epoch=place[0])
                return sample

        if not self.auto_collation:
            data = one(int(index) if isinstance(index, Index) else index)
        elif whole(dataset):
            indexes = list(index)
            with _Pin((place[0], "all", place[1]), dataset):
                data = dataset.__getitems__(indexes)
            for at, sample in zip(indexes, _apart(torch, data, len(indexes))):
                _tell("sample", sample, index=_shown(at), epoch=place[0])
        else:
            data = [one(at) for at in index]
        with _Pin((place[0], "collate", place[1]), self.collate_fn):
            batch = self.collate_fn(data)
        record.flush(now=True)
        return batch

    def streamed(self, index):
        place, info = begun(index), worker()
        count = getattr(self, "_saturate_count", 0)

        def one():
            nonlocal count
            with _Pin((place[0], "stream", info.id if info else 0, count), self.dataset):
                sample = next(self.dataset_iter)
            count = self._saturate_count = count + 1
            _tell("sample", sample, epoch=place[0], worker=info.id if info else 0)
            return sample

        if self.ended:
            raise StopIteration
        if self.auto_collation:
            data = []
            for _ in index:
                try:
                    data.append(one())
                except StopIteration:
                    self.ended = True
                    break
            if not data or self.drop_last and len(data) < len(index):
                raise StopIteration
        else:
            data = one()
        with _Pin((place[0], "collate", place[1]), self.collate_fn):
            batch = self.collate_fn(data)
        record.flush(now=True)
        return batch

    fetch._MapDatasetFetcher.fetch, fetch._IterableDatasetFetcher.fetch = mapped, streamed


def _apart(torch, data, count):
    """The samples of a batch that a dataset gave at once: a list of them, or fields that are stacked already."""

    def row(value, i):
        if isinstance(value, dict):
            return {name: row(part, i) for name, part in value.items()}
        if isinstance(value, tuple):
            return tuple(row(part, i) for part in value)
        return value[i]

    def rows(value):
        if isinstance(value, (dict, tuple)):
            parts = list(value.values() if isinstance(value, dict) else value)
            return bool(parts) and all(rows(part) for part in parts)
        return not isinstance(value, str) and hasattr(value, "__len__") and getattr(value, "shape", (1,)) != () and len(value) == count

    if isinstance(data, (dict, tuple)) and rows(data) or isinstance(data, torch.Tensor) and rows(data):
        return [row(data, i) for i in range(count)]
    return data if isinstance(data, list) else []


def _shown(index):
    try:
        return int(index)
    except (TypeError, ValueError):
        return repr(index)[:80]


def _loaders(torch, watch):
    data = torch.utils.data
    base = data.dataloader._BaseDataLoaderIter
    begin, follow, ask = data.DataLoader.__iter__, base.__next__, base._next_index

    def __iter__(self):
        global _passes
        number, _passes = _passes, _passes + 1
        _open.append([number, 0])
        try:
            with _Pin((number, "loader"), self):
                iterator = begin(self)
        finally:
            state = _open.pop()
        if isinstance(iterator, base):
            iterator._saturate = [number, 0, getattr(iterator, "_saturate_asked", []) if state[1] else []]
            iterator._saturate_asked = iterator._saturate[2]
        return iterator

    def _next_index(self):
        state = getattr(self, "_saturate", None)
        number = _open[-1][0] if _open else state[0] if state else 0
        if _open and not _open[-1][1]:
            _open[-1][1], self._saturate_asked = 1, []
        asked = self.__dict__.setdefault("_saturate_asked", [])
        if len(asked) >= _plan["epoch"]:  # workers would ask ahead to the end of the sampler, which may draw again there
            raise StopIteration
        with _Pin((number, "index", len(asked)), self._index_sampler):  # a generator of the sampler's own, too
            index = ask(self)
        place = number, len(asked)
        asked.append([_shown(at) for at in index] if isinstance(index, (list, tuple)) else _shown(index))
        if type(index) is list:
            return _indexes(index, place)
        return _index(index, place) if type(index) is int else index

    def __next__(self):
        global _batches
        state = getattr(self, "_saturate", None)
        if state is None:
            return follow(self)
        if state[1] >= _plan["epoch"]:
            raise StopIteration  # an epoch is cut short
        batch = follow(self)
        at, state[1] = state[1], state[1] + 1
        asked = self.__dict__.get("_saturate_asked") or []
        _tell("batch", batch, epoch=state[0], batch=at, indexes=asked[at] if at < len(asked) else None,
              stream=self._dataset_kind == data.dataloader._DatasetKind.Iterable, workers=self._num_workers)
        _batches += 1
        if _batches > _plan["batches"]:
            watch.steps.stop()
        _between(torch, "batch", state[0], at)
        return batch

    data.DataLoader.__iter__, base.__next__, base._next_index = __iter__, __next__, _next_index
    watch.steps.noticed.append(lambda: _between(torch, "step", watch.steps.count))


_open = []  # loaders that are being begun, which may ask for indexes at once: number of the epoch, whether they did


@safe
def _between(torch, *key):
    """What the loop draws between a batch and the next, on the device too."""
    number = _number(*key)
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number % 2**32)
    torch.manual_seed(number)


def _models(torch, watch):
    module = torch.nn.Module
    call, trains = module.__call__, torch.is_grad_enabled
    compiling, task = watch.is_compiling, getattr(torch._C, "_current_graph_task_id", lambda: -1)

    def __call__(self, *args, **kwargs):
        global _depth
        if compiling() or _depth == 0 and task() != -1:  # checkpointing computes layers again in the backward pass: they are given no samples
            return call(self, *args, **kwargs)
        if _depth == 0 and trains() and os.getpid() == _pid:
            _called(torch, self, args, kwargs)
        _depth += 1
        try:
            made = call(self, *args, **kwargs)
        finally:
            _depth -= 1
        if _depth == 0 and trains() and watched(torch, self):
            _note_made(torch, made)
        return made

    module.__call__ = functools.wraps(call)(__call__)


_pid = os.getpid()


_made = []  # weakly, what models have computed in this step: a GAN gives it to another model, detached


@safe
def _note_made(torch, value):
    del _made[:-8]
    fingerprint.without(lambda x: isinstance(x, torch.Tensor) and _made.append(weakref.ref(x)), value)


def _computed(torch, value):
    """What a model has computed is not data, with or without its gradient."""
    if not isinstance(value, torch.Tensor):
        return False
    if value.requires_grad:
        return True
    alive = (tensor for tensor in (made() for made in _made) if tensor is not None)
    return any(value.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() != 0 for tensor in alive)


@safe
def _called(torch, module, args, kwargs):
    global _calls
    if not watched(torch, module) or _calls >= 4 * _plan["batches"]:
        return
    _calls += 1
    given = fingerprint.without(lambda value: _computed(torch, value), (args, kwargs))
    _tell("input", {**{str(at): value for at, value in enumerate(given[0])}, **given[1]}, call=_calls)


def watched(torch, module):
    """A model has parameters; a loss has none."""
    return next(module.parameters(), None) is not None


LOSSES = ("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
          "binary_cross_entropy_with_logits", "ctc_loss", "kl_div", "poisson_nll_loss", "gaussian_nll_loss", "soft_margin_loss",
          "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "hinge_embedding_loss")


def _targets(torch, watch):
    """Labels that the model is not given reach the loss."""
    functional, compiling = torch.nn.functional, watch.is_compiling

    def wrap(function):
        @functools.wraps(function)
        def loss(*args, **kwargs):
            if not compiling() and os.getpid() == _pid and torch.is_grad_enabled():
                _aimed(torch, function.__name__, kwargs.get("target", kwargs.get("targets", args[1] if len(args) > 1 else None)))
            return function(*args, **kwargs)

        return loss

    for name in LOSSES:
        if hasattr(functional, name):
            setattr(functional, name, wrap(getattr(functional, name)))


@safe
def _aimed(torch, name, target):
    if isinstance(target, torch.Tensor) and not _computed(torch, target) and _calls < 4 * _plan["batches"]:
        _tell("input", {"target of " + name: target}, call=_calls, target=True)


# JAX.


class JaxInputs:
    """The arguments of the compiled function that are new in each call: what it returned before is the model."""

    def __init__(self, jax):
        self.jax, self.made, self.calls = jax, {}, 0

    @safe
    def called(self, args, kwargs):
        leaves = self.jax.tree_util.tree_leaves((args, kwargs))
        fresh = [leaf for leaf in leaves if hasattr(leaf, "dtype") and id(leaf) not in self.made]
        self._fed(fresh)
        self.made.update((id(leaf), leaf) for leaf in leaves if self.calls == 1)  # the first call is given the model

    @safe
    def given(self, args, kwargs):
        """A gradient is called: what it differentiates by, the model, is not among these."""
        self._fed([leaf for leaf in self.jax.tree_util.tree_leaves((args, kwargs)) if hasattr(leaf, "dtype")])

    def _fed(self, leaves):
        if self.calls and leaves:
            _tell("input", {str(at): leaf for at, leaf in enumerate(leaves)}, call=self.calls)
        self.calls += 1

    @safe
    def returned(self, result):
        made = {id(leaf): leaf for leaf in self.jax.tree_util.tree_leaves(result) if hasattr(leaf, "dtype")}
        self.made = made if self.calls > 1 else {**self.made, **made}
