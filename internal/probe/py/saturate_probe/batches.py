"""Changes the batch size of a program from outside, for a few steps that show how much memory it needs.

    DataLoader(…)   numbered in order, with the line that makes it
    iter(loader)    the training loader gives batches of the trial's size, in the order of lengths.py, and ends after the
                    trial's steps, so that an evaluation follows if the program has one; evaluations are cut short
    steps           after the last one, and the evaluation, the program is ended

The training loader is known from an earlier trial; in the first trial it is one that shuffles.
"""

import atexit
import functools
import json
import os
import sys
import weakref

from . import lengths, record, savings
from .peaks import Peaks
from .record import safe

EVALUATION = 3  # batches

plan = None
trial = None


def start():
    global plan
    text = os.environ.get("SATURATE_BATCH")
    if text:
        plan = json.loads(text)


def torch_imported(torch, watch):
    global trial
    if plan is not None:
        trial = trial or Trial(watch.steps)
        trial.torch, trial.watch = torch, watch
        trial.loaders()
        trial.schedules()


def jax_imported(steps):
    global trial
    if plan is not None and trial is None:
        trial = Trial(steps)


def generating(function):
    """A call of generate: its memory is not training's."""
    if trial is None:
        return function

    @functools.wraps(function)
    def generate(*args, **kwargs):
        before, _ = trial.peaks.phase, safe(trial.peaks.enter)("generation")
        try:
            return function(*args, **kwargs)
        finally:
            safe(trial.peaks.enter)(before)

    return generate


class Trial:
    def __init__(self, steps):
        self.torch, self.steps, self.watch = None, steps, None
        self.peaks = Peaks(plan)
        self.numbers, self.count = weakref.WeakKeyDictionary(), 0
        self.begun = {}  # the record of each loader
        self.orders = {}
        self.lengths = None
        self.latest = None  # the loader that gave the last batch
        self.given = {}  # by loader: batches of this pass
        self.trained = {}  # by loader: steps
        self.facts = {}
        self.accumulation = plan.get("accumulation")
        self.backwards = []
        self.obstacle = None
        self.told = self.helping = False
        steps.noticed.append(safe(self.boundary))
        atexit.register(safe(self.tell))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self):
        self.told = True  # workers report nothing

    # Loaders.

    def loaders(self):
        torch, trial = self.torch, self
        data = torch.utils.data
        base = data.dataloader._BaseDataLoaderIter
        make, begin, fetch, length = data.DataLoader.__init__, data.DataLoader.__iter__, base.__next__, data.DataLoader.__len__
        self.begin = begin
        made, starts, given = safe(self.made), safe(self.starts), safe(self.given_one)

        @functools.wraps(make)
        def __init__(self, *args, **kwargs):
            make(self, *args, **kwargs)
            made(self)

        @functools.wraps(begin)
        def __iter__(self):
            starts(self)
            iterator = begin(self)
            try:
                iterator._saturate_loader = trial.numbers.get(self)
            except AttributeError:
                pass
            return iterator

        @functools.wraps(fetch)
        def __next__(self):
            number = getattr(self, "_saturate_loader", None)
            if safe(trial.evaluated_enough)(number):
                raise StopIteration
            batch = fetch(self)
            given(number)
            return batch

        @functools.wraps(length)
        def __len__(self):
            caller = sys._getframe(1).f_globals.get("__name__") or ""
            if caller.startswith(("lightning", "pytorch_lightning")) and safe(trial.trains)(self):  # it evaluates after so many
                return trial.batches()
            return length(self)

        data.DataLoader.__init__, data.DataLoader.__iter__, base.__next__, data.DataLoader.__len__ = __init__, __iter__, __next__, __len__

    def made(self, loader):
        if self.helping:  # our own loader: numbers must be the same in every trial
            return
        self.numbers[loader] = self.count
        self.count += 1
        loader.__dict__["_saturate_place"] = place()

    def batches(self):
        return plan["steps"] * (self.accumulation or 1)

    def trains(self, loader):
        """Whether this is the training loader, as far as known."""
        number, known = self.numbers.get(loader), plan.get("loader")
        if known is not None or number is None:
            return number is not None and number == known
        if not self.torch.is_grad_enabled() or self.trained and number not in self.trained:
            return False
        data = self.torch.utils.data
        sampler = getattr(loader.batch_sampler, "sampler", loader.sampler)
        if isinstance(loader.dataset, data.IterableDataset):
            return not self.begun
        return not isinstance(sampler, data.SequentialSampler) or bool(loader.drop_last)

    def starts(self, loader):
        number = self.numbers.get(loader)
        if number is None:  # a helper of ours
            return
        if self.over() and (number in self.trained or number == plan.get("loader")):
            self.end()
        self.peaks.ready()
        self.given[number] = 0
        trains = self.trains(loader)
        self.begun.setdefault(number, self.describe(loader, number))
        if trains:
            if plan.get("checkpointing") and "checkpointed" not in self.facts:
                self.facts["checkpointed"] = savings.checkpoint()
            self.peaks.enter("training")
            self.change(loader, number)
        elif self.trained or plan.get("loader") is not None:
            self.peaks.enter("evaluation")
            self.longest_first(loader, number)

    def describe(self, loader, number):
        told = {"number": number, "dataset": type(loader.dataset).__name__, "drop_last": bool(loader.drop_last)}
        told["file"], told["line"] = loader.__dict__.get("_saturate_place") or ("", 0)
        size = loader.batch_size or getattr(loader.batch_sampler, "batch_size", None)
        if isinstance(size, int):
            told["batch_size"] = size
        try:
            told["samples"] = len(loader.dataset)
        except Exception:
            pass  # a stream
        return told

    def change(self, loader, number):
        """From here on the loader gives the trial's batches, if possible."""
        told = self.begun[number]
        if loader.batch_sampler is None:
            self.hinder("%s gives whole batches: the loader has batch_size=None" % told["dataset"], told)
            return
        own = told.get("batch_size")
        size = plan.get("batch") or own
        if size is None:
            self.hinder("the batch sampler %s has no batch_size" % type(loader.batch_sampler).__name__, told)
            return
        order = None
        if not isinstance(loader.dataset, self.torch.utils.data.IterableDataset):
            known = self.known(loader, number)
            if known["sizes"]:
                order = lengths.Order(known, plan["steps"])
                self.lengths = lengths.told(known)
        if type(loader.batch_sampler) is not Batches:
            loader.__dict__["batch_sampler"] = Batches(self, number, size, order)

    def longest_first(self, loader, number):
        """An evaluation begins with its longest batch."""
        told = self.begun[number]
        told["evaluation"] = True
        own = told.get("batch_size")
        if own is None or loader.batch_sampler is None or isinstance(loader.dataset, self.torch.utils.data.IterableDataset) or type(loader.batch_sampler) is Longest:
            return
        known = self.known(loader, number)
        if known["sizes"]:
            loader.__dict__["batch_sampler"] = Longest(lengths.Order(known, 1), min(own, known["samples"]))

    def known(self, loader, number):
        path = plan.get("lengths")
        self.helping = True
        try:
            return lengths.of(self.torch, loader, path and "%s-%d" % (path, number), self.begin)
        finally:
            self.helping = False

    def hinder(self, what, told):
        if self.obstacle is None:
            self.obstacle = {"what": what, "file": told.get("file"), "line": told.get("line")}

    def given_one(self, number):
        if number is None:
            return
        self.latest = number
        self.given[number] = self.given.get(number, 0) + 1
        if number in self.trained:
            self.peaks.enter("training")

    def evaluated_enough(self, number):
        evaluates = self.begun.get(number, {}).get("evaluation")
        return bool(evaluates) and number not in self.trained and self.given.get(number, 0) >= EVALUATION

    # Steps.

    def over(self):
        return self.steps.count >= plan["steps"]

    def boundary(self):
        """A step is over."""
        if self.steps.mode == "inference":
            return
        if self.latest is not None:
            self.trained[self.latest] = self.trained.get(self.latest, 0) + 1
        self.backwards.append(max(1, self.steps.backwards))
        self.peaks.enter("training")
        self.peaks.note()
        if len(self.backwards) == 2:
            safe(self.look)()
        if self.over():
            self.tell(last=False)
            mine = self.latest is not None and self.latest in self.orders
            if not mine or self.steps.count > plan["steps"] + 64:  # no loader whose end could be waited for
                self.end()

    def look(self):
        """The facts that advice about the batch size depends on."""
        main = getattr(self.watch, "main", None)
        optimizer = main.chosen() if main is not None and main.chosen is not None else None
        if optimizer is not None:
            self.facts["optimizer"] = type(optimizer).__name__
            self.facts["learning_rate"] = float(optimizer.param_groups[0].get("lr") or 0)
            self.facts["parameters"] = sum(p.numel() for group in optimizer.param_groups for p in group["params"])
        if self.torch is not None:
            import gc

            norm = self.torch.nn.modules.batchnorm._BatchNorm
            self.facts["batch_norm"] = sum(isinstance(thing, norm) and thing.training for thing in gc.get_objects())

    def schedules(self):
        scheduler = self.torch.optim.lr_scheduler
        base = getattr(scheduler, "LRScheduler", None) or scheduler._LRScheduler
        make = base.__init__

        @functools.wraps(make)
        def __init__(this, *args, **kwargs):
            make(this, *args, **kwargs)
            names = self.facts.setdefault("schedules", [])
            if type(this).__name__ not in names:
                names.append(type(this).__name__)

        base.__init__ = __init__

    def end(self):
        self.tell()
        self.steps.stop()

    def tell(self, last=True):
        if self.told:
            return
        self.told = last
        fields = {**self.facts, **self.peaks.tell(), "loaders": list(self.begun.values())}
        if self.trained:
            number = max(self.trained, key=self.trained.get)
            fields["trained"] = number
            fields["batch"] = plan.get("batch") if number in self.orders else self.begun[number].get("batch_size")
            fields["batch"] = fields["batch"] or self.begun[number].get("batch_size") or 0
        if self.backwards:
            fields["accumulation"] = sorted(self.backwards)[len(self.backwards) // 2]
        if self.lengths:
            fields["lengths"] = self.lengths
        if self.obstacle:
            fields["obstacle"] = self.obstacle
        record.line("trial", **fields)
        record.flush(now=True)


class Batches:
    """Replaces the batch sampler of the training loader."""

    def __init__(self, trial, number, size, order):
        self.trial, self.number, self.batch_size, self.order = trial, number, size, order
        self.drop_last, self.sampler = False, ()
        trial.orders[number] = self

    def __iter__(self):
        """As many batches as the remaining steps need. While the accumulation is unknown, steps are counted."""
        trial, steps = self.trial, plan["steps"]
        done, each = trial.steps.count, trial.accumulation
        for at in range((steps - done) * (each or 64)):
            if each is None and trial.steps.count >= steps:
                return
            step = min(done + at // (each or 1), steps - 1)
            yield [None] * self.batch_size if self.order is None else self.order.batch(step, self.batch_size)

    def __len__(self):
        return self.trial.batches()


class Longest:
    """Replaces the batch sampler of an evaluation."""

    def __init__(self, order, size):
        self.order, self.batch_size, self.drop_last, self.sampler = order, size, False, ()

    def __iter__(self):
        for _ in range(EVALUATION):
            yield self.order.longest(self.batch_size)

    def __len__(self):
        return EVALUATION


def place():
    """The current line of the user's program: the innermost one outside installed packages."""
    here = os.path.dirname(os.path.abspath(__file__))
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(("<", here)) and "site-packages" not in file and "dist-packages" not in file and os.sep + "lib" + os.sep + "python" not in file:
            return file, frame.f_lineno
        frame = frame.f_back
    return None
