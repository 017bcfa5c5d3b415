"""Which batches a step used, and which passes of the model were an evaluation's.

What follows a pass tells what it was for. A backward pass makes those before it, and the batches that they were given, part of
the step. A further batch without one shows an evaluation where the model ran without gradients, or where the loader before it
was emptied or left. But a step may run a teacher or a target network without gradients again and again: that is its forward.
An evaluation is more than its passes: what it loads, copies and computes between them is its own as well.
"""

from collections import Counter, deque

from . import facts, record

MODEL = ("forward", "region")  # phases in which the model runs with gradients
_OFTEN = 4  # steps: what a program does as often as this belongs to its steps


class Passes:
    def __init__(self, steps):
        self.steps = steps
        self.fetched = {}  # of each loader, by its number: batches that it gave and no pass has used
        self.latest = None  # those of the loader that gave the last one in this step
        self.fresh = set()  # loaders that gave a batch since the last forward pass
        self.begun = Counter()  # of each loader: its batches that forward passes were begun with since the last backward pass
        self.calls = Counter()  # of each module in this step
        self.ahead = {}  # of each loader: batches that were fetched but not used when a step was over
        self.used = []
        self.epoch_batches = 0
        self.emptied = None  # what a loader fed that no backward pass followed so far
        self.gradless = None  # passes without gradients that nothing has followed so far: begin, end, batches, number, of the trained model
        self.evaluations = 0  # that were found so far
        self.asked = None  # where the last batch was asked for, until something is trained with it
        self.trained = set()  # ids of a parameter of each module that ran with gradients
        self.mixed = -_OFTEN - 1  # the last step that had some

    def here(self):
        """A place in the step, to tell what has happened since then."""
        steps = self.steps
        edges = len(steps.timeline.edges) if steps.timeline is not None else 0
        return steps.count, steps.backwards, edges, len(steps.segments), self.evaluations

    def cut(self):
        """The same, with an edge there."""
        self.steps.cut()
        return self.here()

    # Loaders.

    def loader_started(self, loader):
        """A loader begins an epoch, and what it gave before is used or forgotten."""
        steps = self.steps
        self._evaluated()
        self.fetched = {number: batches for number, batches in self.fetched.items() if batches and number != loader}
        self.ahead.pop(loader, None)
        if steps.count == 0 and steps.backwards == 0 and not steps.stack:
            steps.begin = self.emptied = None  # what came before was preparation
            self.fetched.clear()
        if self.epoch_batches >= 4 or steps.count == 0:
            steps.tags.add("first-of-epoch")
        self.epoch_batches = 0

    def loader_ended(self, loader, began):
        """A loader is empty, or nobody holds it any more. Where it fed no backward pass it was an evaluation's, unless one pass is
        to follow for all of it. Tells whether it is known to be."""
        self._evaluated()
        ended = self.cut()
        if began is None or ended[:2] != began[:2]:
            return False
        if ended[4] > began[4]:
            self._belongs("evaluation", None, began, ended)
            return True
        self.emptied = began, ended, loader
        return False

    def batch_fetched(self, loader, batch, asked):
        self._evaluated()
        self.asked = asked
        self.epoch_batches += 1
        if self.emptied is not None:
            self._evaluated_all(*self.emptied)
        self.latest = self.fetched.setdefault(loader, deque())
        self.fresh.add(loader)
        if len(self.latest) < 4096:
            self.latest.append(facts.of_batch(batch))

    # Passes.

    @record.safe
    def forward(self, module):
        """A pass with gradients is begun with a batch of each loader that gave one since the last: of labelled and unlabelled samples, say."""
        if self.fresh:
            self.begun.update(self.fresh)
            self.fresh.clear()
        self.calls[id(module)] += 1
        parameter = next(module.parameters(), None)
        if parameter is not None:  # a loss may be a module as well
            self.trained.add(id(parameter))
            self.asked = None
            if self.gradless is not None:
                self._within()

    @record.safe
    def without_gradients(self, module, began):
        if self.gradless is None:
            self.gradless = [began, None, self.latest, 0, True]
        self.gradless[1] = self.here()
        self.gradless[3] += 1
        if self.gradless[4]:  # the model that is trained, but switched to evaluation: no teacher
            self.gradless[4] = not module.training and id(next(module.parameters(), None)) in self.trained

    def backward(self):
        self.emptied = None
        self._within()

    def batch_used(self):
        """A backward pass has used the batches that forward passes were begun with, or one that was fetched before."""
        for loader, batches in self.fetched.items():
            for _ in range(min(len(batches), max(1, self.begun[loader]))):
                self.used.append(batches.popleft())
        self.begun.clear()

    def step_over(self):
        """Gives the batches that the step used."""
        self._within()
        if not self.used:
            for batches in self.fetched.values():
                self.used.extend(batches)
                batches.clear()
        self._all_at_once()
        used, self.used = self.used, []
        self.latest = self.emptied = self.asked = None
        self.calls.clear()
        return used

    def _all_at_once(self):
        """Where all batches of a step are fetched before the model runs, more and more would seem to be left over."""
        further = max(self.calls.values(), default=0) - self.steps.backwards
        for loader, batches in self.fetched.items():
            more = len(batches) - self.ahead.setdefault(loader, len(batches))
            for _ in range(min(more, further)):
                self.used.append(batches.popleft())

    # Evaluations.

    def _evaluated(self):
        """What ran without gradients ran for batches that were not trained with."""
        if self.gradless is None:
            return
        began, ended, batches, passes, _ = self.gradless
        self.gradless = None
        if self.asked is not None and self.asked[:2] == began[:2] and self.asked[3] < began[3]:
            began = self.asked  # the batch is the evaluation's
        self._found(began, ended)
        for _ in range(min(passes, len(batches or ()))):
            batches.popleft()

    def _within(self):
        """Training follows what ran without gradients: a part of the step where it is so again and again."""
        if self.gradless is None:
            return
        began, ended, _, _, evaluates = self.gradless
        self.gradless = None
        if evaluates:
            self._found(began, ended)
            return
        since, self.mixed = self.steps.count - self.mixed, self.steps.count
        if since > _OFTEN:
            self._found(began, ended)
        else:
            self._belongs("forward", ("evaluation",), began, ended)

    def _evaluated_all(self, began, ended, loader):
        """An evaluation need not turn gradients off: then what looked like forward was its, and so were the batches."""
        self.emptied = None
        self.fetched.pop(loader, None)
        self.begun.pop(loader, None)
        self.fresh.discard(loader)
        if any(segment[0] in MODEL for segment in self.steps.segments[began[3] : ended[3]]):
            self._found(began, ended)

    def _found(self, began, ended):
        """An evaluation went on from one place to another: all that happened there is its."""
        self.evaluations += 1
        self.steps.tags.add("evaluation")
        self._belongs("evaluation", None, began, ended)

    def _belongs(self, phase, others, began, ended):
        """Time that was spent in other phases between two places was this phase's; None: in any, or none."""
        steps = self.steps
        for segment in steps.segments[began[3] : ended[3]]:
            if others is None or segment[0] in others:
                segment[0] = phase
        if steps.timeline is not None:
            edges = steps.timeline.edges
            for at in range(began[2], min(ended[2], len(edges))):
                if others is None or edges[at][0] in others:
                    edges[at] = phase, edges[at][1]
