"""How large the samples of a dataset are, and in which order a trial takes them.

A few seconds are spent on looking at samples in random order, with the loader's own workers where it has some. A trial begins
with batches of short samples, goes on with the longest, and ends with any: memory that small batches have cut up is what a
shuffled run has when the longest batch comes.
"""

import json
import os
import random
import time

SECONDS = 6.0
MOST = 4096  # samples
ENOUGH = 256  # where all have the same size


def of(torch, loader, path, begin):
    """The sizes that are known: of this loader's dataset, by index. They are looked for once and kept in a file."""
    known = _read(path)
    if known is not None:
        return known
    try:
        samples = len(loader.dataset)
    except Exception:
        return {"samples": 0, "indexes": [], "sizes": []}
    indexes = list(range(samples))
    random.Random(31).shuffle(indexes)
    indexes = indexes[:MOST]
    state = torch.get_rng_state()
    try:
        sizes = _look(torch, loader, indexes, begin)
    finally:
        torch.set_rng_state(state)
    known = {"samples": samples, "indexes": indexes[: len(sizes)], "sizes": sizes}
    _write(path, known)
    return known


def _look(torch, loader, indexes, begin):
    """Workers load as the program's own do; a file that this process opened would be shared with them."""
    count = loader.num_workers
    kwargs = {"worker_init_fn": loader.worker_init_fn, "multiprocessing_context": loader.multiprocessing_context} if count else {}
    helper = torch.utils.data.DataLoader(loader.dataset, batch_size=8, sampler=indexes, num_workers=count, collate_fn=measure, **kwargs)
    sizes, until = [], time.monotonic() + SECONDS
    for some in begin(helper):
        sizes.extend(some)
        same = len(set(sizes)) == 1
        if time.monotonic() > until or same and len(sizes) >= ENOUGH:
            break
    return sizes


def measure(samples):
    return [size(sample) for sample in samples]


def size(value, depth=4):
    """Numbers, or characters, in a sample."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        count = 1
        for n in shape:
            count *= int(n)
        return count
    if isinstance(value, (str, bytes)):
        return len(value)
    if depth and hasattr(value, "values") and hasattr(value, "keys"):
        return sum(size(item, depth - 1) for item in value.values())
    if depth and isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (int, float)):
            return len(value)
        return sum(size(item, depth - 1) for item in value)
    return 1


def _read(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, TypeError, ValueError):
        return None


def _write(path, known):
    if path:
        with open(path + ".new", "w") as file:
            json.dump(known, file)
        os.replace(path + ".new", path)


def told(known):
    """What the launcher is to know of the sizes."""
    sizes = sorted(known["sizes"])
    if not sizes:
        return {"seen": 0, "samples": known["samples"], "varies": False}
    tenth = sizes[-max(1, len(sizes) // 10) :]
    return {
        "seen": len(sizes),
        "samples": known["samples"],
        "varies": sizes[-1] > 1.01 * sizes[0],
        "longest": sizes[-1],
        "median": sizes[len(sizes) // 2],
        "tail": sum(s - tenth[0] for s in tenth) / len(tenth),
    }


class Order:
    """Gives the indexes of each batch of a trial."""

    def __init__(self, known, steps):
        pairs = sorted(zip(known["sizes"], known["indexes"]))
        self.sorted = [index for _, index in pairs]
        self.samples = known["samples"]
        self.all = len(pairs) >= known["samples"]
        self.steps = steps
        self.random = random.Random(17)

    def batch(self, step, n):
        third = max(1, self.steps // 3)
        if step < third:
            end = max(1, len(self.sorted) * (step + 1) // (third + 1))
            return self._repeat(self.sorted[max(0, end - n) : end], n)
        if step < self.steps - third:
            return self.longest(n)
        return [self.random.randrange(self.samples) for _ in range(n)]

    def longest(self, n):
        """Where not all sizes are known, samples of the longest tenth stand for those that are not."""
        count = n if self.all else max(1, len(self.sorted) // 10)
        return self._repeat(self.sorted[-count:], n)

    def _repeat(self, some, n):
        return (some * (n // len(some) + 1))[:n]
