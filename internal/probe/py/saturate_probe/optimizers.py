"""Which optimizer's step is the program's step, and when a step is over."""

import weakref

from . import facts, record


class Main:
    """The optimizer whose step is the program's step: the one with most parameters."""

    MANY = 256  # backward passes before a step: gradients are not accumulated over more
    FEW = 3  # those before any optimizer is made: a program that makes none by then updates its parameters itself

    def __init__(self, steps):
        self.steps = steps
        self.exists = False  # some optimizer does: the program trains
        self.all = weakref.WeakKeyDictionary()
        self.chosen = None
        self.steps_seen = 0
        self.others = 0
        self.running = []  # optimizers whose step has begun; a subclass that calls its parent is in here twice
        self.backwards = 0
        self.graphs = {}

    def made(self, optimizer):
        self.exists = True
        self.all[optimizer] = self._size(optimizer)

    def _size(self, optimizer):
        return sum(p.numel() for group in optimizer.param_groups for p in group["params"])

    def _choose(self, optimizer):
        if self.chosen is not None and self.chosen() is not None:
            return
        size = self.all.get(optimizer) or self._size(optimizer)
        largest = max(self.all, key=self.all.get, default=optimizer)
        best = optimizer if size >= self.all.get(largest, 0) else largest
        self.chosen = weakref.ref(best)
        facts.extra["parameters"] = self._size(best)
        facts.extra["optimizer"] = type(best).__name__

    def begins(self, optimizer):
        self.exists = True
        self.steps.owner()
        if "optimizer" not in self.steps.stack:
            del self.running[:]  # an exception may have left some
        self.running.append(optimizer)
        self.steps.enter("optimizer")

    def ends(self, optimizer):
        self.steps.leave("optimizer")
        if self.running:
            self.running.pop()
        if any(o is optimizer for o in self.running):
            return
        if self.steps.capturing is not None:
            self.graphs[self.steps.capturing] = None  # its loss, once it is recorded
            return
        self._choose(optimizer)
        if self.chosen() is not optimizer:
            self.others += 1
            if self.others < 8 or self.steps_seen:
                return
            self.chosen = weakref.ref(optimizer)  # the largest one never steps
        self.steps_seen += 1
        self.steps.ended("train", within=True)  # the hook runs inside of torch's range for the optimizer's step

    def skipped(self, optimizer):
        self._choose(optimizer)
        if self.chosen() is optimizer and self.steps.capturing is None:
            self.steps_seen += 1
            self.steps.tags.add("skipped")
            self.steps.ended("train")

    def replayed(self, graph, loss):
        if graph in self.graphs:
            self.exists = True
            self.steps_seen += 1
            self.steps.passes.batch_used()
            loss.replayed(self.graphs[graph])
            self.steps.ended("train")

    def backward_ended(self):
        """An optimizer inside of compiled code calls no hooks, and a program may have none: then each backward pass is a step."""
        if self.steps.capturing is not None:
            return
        self.backwards += 1
        if not self.exists and self.backwards >= self.FEW:
            self.steps.ended("train")
        elif self.backwards > self.MANY:
            record.note("no optimizer step was seen in %d backward passes: each further pass counts as a step" % self.MANY)
            self.steps.ended("train")
