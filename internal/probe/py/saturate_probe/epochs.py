"""Where an epoch ends in a program without a DataLoader: when its loop over epochs starts another round.

The loop is found once, in the source of the running functions when a step ends: the outermost one around the step whose
names mention epochs. From then on its variables are checked whenever a part of a step begins.
"""

import ast
import linecache
import re
import sys

from . import sampler

_TRIES = 3  # stop looking for the loop after this many steps
_EPOCH = re.compile(r"(?<!per)(?<!per_)epoch", re.IGNORECASE)  # not steps_per_epoch
_missing = object()


class Loop:
    """The loop over epochs, once it is found."""

    def __init__(self):
        self.code = None  # of the function that it is in
        self.names = ()  # its variables
        self.values = None
        self.tries = 0

    def find(self):
        """Looks for the loop around the step that just ended. Returns whether it looked."""
        if self.code is not None or self.tries == _TRIES:
            return False
        self.tries += 1
        frame = sys._getframe(1)
        while frame is not None:
            if sampler.named(frame.f_code)[2]:
                names = _variables(frame)
                if names:
                    self.code, self.names, self.values = frame.f_code, names, _values(frame, names)
            frame = frame.f_back
        return True

    def went_on(self):
        """Reports whether the loop has begun another round since the last call."""
        frame = self._frame()
        if frame is None:
            return False
        before, self.values = self.values, _values(frame, self.names)
        return any(_differ(*pair) for pair in zip(before, self.values))

    def over(self):
        """Reports whether the last round has ended as well: nobody is in the loop, and no error has ended it."""
        return self.code is not None and self._frame() is None and getattr(sys, "last_value", None) is None

    def _frame(self):
        frame = sys._getframe(1) if self.code is not None else None
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        return frame


def _values(frame, names):
    local, shared = frame.f_locals, frame.f_globals
    return [local.get(name, shared.get(name, _missing)) for name in names]


def _differ(a, b):
    return a is not b and not (type(a) is type(b) and type(a) in (int, float, str) and a == b)


def _variables(frame):
    """The variables of the outermost loop over epochs that the function at work is in."""
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return ()
    scope, inside = tree, tree
    while inside is not None:  # down to the function that is at work
        scope, inside = inside, next((node for node in _within(inside) if _is_function(node) and node.lineno <= frame.f_lineno <= node.end_lineno), None)
    for node in _within(scope):
        if isinstance(node, (ast.For, ast.While)) and node.body[0].lineno <= frame.f_lineno <= node.body[-1].end_lineno and _of_epochs(node, scope):
            names = [n.id for n in ast.walk(node.target if isinstance(node, ast.For) else node.test) if isinstance(n, ast.Name)]
            if names:
                return names
    return ()


def _within(scope):
    """What is in a function or module, from the outside in, without what is in the functions that it defines."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not _is_function(node):
            waiting.extend(ast.iter_child_nodes(node))


def _is_function(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def _of_epochs(loop, scope):
    heads = [loop.target, loop.iter] if isinstance(loop, ast.For) else [loop.test]
    if any(_speaks(head) for head in heads):
        return True
    names = {node.id for node in ast.walk(heads[-1]) if isinstance(node, ast.Name)}
    return any(  # range(n), where n = settings["epochs"]
        isinstance(node, ast.Assign) and _speaks(node.value) and any(isinstance(target, ast.Name) and target.id in names for target in node.targets)
        for node in _within(scope)
    )


def _speaks(expression):
    for node in ast.walk(expression):
        word = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None)
        if isinstance(word, str) and _EPOCH.search(word):
            return True
    return False
