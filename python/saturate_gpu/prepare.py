"""Fills the cache that training reads. The script of a project calls main(), once, before training.

    python scripts/precompute_tts.py train.py --size tiny

The program runs up to its first batch, so that its own code builds the dataset. Then every sample is computed once
and the program ends before it trains. A run that was stopped or killed resumes where it stopped.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import runpy
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any, Iterable, NoReturn

from .offline import Enough, Shelf, cache

options = argparse.Namespace()
failures: list[tuple[int, str]] = []
SAMPLES = 8  # to compare, of features that saturate mel built  # only: mel


def main(in_collate: bool = False) -> NoReturn:
    """Run the program that the command line names, up to its first batch, and fill the cache. Does not return."""
    global options
    parser = argparse.ArgumentParser(description="Fills the cache that training reads.")
    parser.add_argument("--workers", type=int, default=0, help="number of processes; default: one per core, 1 if CUDA is in use")
    parser.add_argument("--variants", type=int, default=256, help="maximum combinations of drawn values per sample")  # only: drawn
    if mel := any(about.get("mel") for about in cache.places.values()):  # only: mel
        who = "mel: saturate mel, as FP16 in one file, compared with yours; own: your code, bit for bit; auto: mel where own would be slow"
        parser.add_argument("--features", choices=["auto", "own", "mel"], default="auto", help=f"who computes Whisper features. {who}")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="the training program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args()
    options.collates = in_collate  # some of what is cached is computed in the collate function  # only: collate
    if mel:  # only: mel
        from . import whisper_features

        cache.builder = whisper_features.Builder(options.features)
        if options.features == "mel" and not whisper_features.binary():
            sys.exit(whisper_features.MISSING)

    import torch
    from torch.utils.data import DataLoader

    loaders: list[Any] = []
    begin, build = DataLoader.__iter__, DataLoader.__init__

    def note(self: Any, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        loaders.append(self)

    def first_batch(self: Any) -> Any:
        if int(os.environ.get("RANK", "0")) > 0:
            leave(0)  # rank 0 fills the cache for all
        DataLoader.__init__, DataLoader.__iter__ = build, begin
        if prepare(loaders, self):
            leave(finish())
        DataLoader.__init__, DataLoader.__iter__ = note, first_batch
        return begin(self)

    def first_step(*args: Any, **kwargs: Any) -> None:
        print("training began before a DataLoader asked for anything to cache", file=sys.stderr)
        leave(finish())

    DataLoader.__init__, DataLoader.__iter__ = note, first_batch
    torch.autograd.backward = first_step
    cache.preparing = True
    sys.argv = [options.program, *options.arguments]
    sys.path.insert(0, os.getcwd() if options.module else str(Path(options.program).resolve().parent))
    if options.module:
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(os.path.abspath(options.program), run_name="__main__")  # as Python does: __file__ is absolute
    print("the program ended without asking a DataLoader for a batch", file=sys.stderr)
    leave(finish())


def leave(code: int) -> NoReturn:
    """Exit at once: the program's own clean-up would save an untrained model."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def finish() -> int:
    """Complete the lists of entries, and report."""
    for place in cache.places:  # other processes may have added entries
        shelf = Shelf(place)
        if place in cache.refused:
            shelf.manifest.unlink(missing_ok=True)
            print(f"{place} is not cached: {cache.refused[place]}", file=sys.stderr)
            continue
        print(f"{shelf.finish()} entries in {os.path.relpath(shelf.manifest)}", file=sys.stderr)
        if place in cache.varied:
            print(f"{place}: {cache.varied[place]}", file=sys.stderr)
    ignore = cache.folder / ".gitignore"
    if cache.folder.is_dir() and not ignore.exists():
        ignore.write_text("*\n")
    if cache.builder:  # only: mel
        cache.builder.tell()
    for index, reason in failures[:5]:
        print(f"sample {index} failed: {reason}", file=sys.stderr)
    if failures:
        print(f"{len(failures)} samples failed; run the same command to retry them", file=sys.stderr)
    elif not asked():
        print("no sample asked saturate_offline for anything", file=sys.stderr)
    return 1 if failures or cache.refused or not asked() else 0


def asked() -> int:
    return sum(shelf.asked for shelf in cache.shelves.values())


def prepare(loaders: list[Any], current: Any) -> bool:
    """Process the datasets of all loaders; return whether training starts with this one."""
    import torch

    used = False
    for loader in loaders:
        if not hasattr(loader, "saturate_used"):
            loader.saturate_used = go_through(loader, torch)
        used = used or loader.saturate_used and loader is current
    shuffled = not isinstance(current.sampler, torch.utils.data.SequentialSampler)
    return used and (shuffled or torch.is_grad_enabled())  # a sanity check on the validation set runs without gradients


def go_through(loader: Any, torch: Any) -> bool:
    """Compute all samples of a dataset; return whether they have anything to cache."""
    dataset, before = loader.dataset, asked()
    if isinstance(dataset, torch.utils.data.IterableDataset):
        go_along(dataset, loader)  # only: stream
        return asked() > before
    count = len(dataset)
    look_at(dataset, loader, range(min(2, count)))
    if asked() == before:
        return False  # another kind of data
    if any(about.get("rows") for about in cache.places.values()):  # only: rows
        look_at_batch(dataset, loader, list(range(min(4, count))))
    if large := too_large(count):
        cache.refused.update(dict.fromkeys(cache.places, large))
        return True
    if cache.builder:  # only: mel
        cache.builder.decide(count)
    make_all(dataset, loader, range(count), torch)
    if cache.builder and not (cache.builder.build() and agrees(dataset, loader, count)):  # only: mel
        make_all(dataset, loader, range(count), torch)
    return True


def too_large(count: int) -> str:
    """Why the cache of so many samples would not fit onto the disk, by the size of the first ones."""
    stored = sum(file.stat().st_size for file in cache.folder.rglob("*") if file.is_file())
    for shelf in cache.shelves.values():
        shelf.reload()  # worker processes have stored the samples of an earlier loader
    entries = max([1, *(len(shelf.entries) for shelf in cache.shelves.values())])
    size, free = stored / entries * count, shutil.disk_usage(cache.here).free + stored
    return f"it would take {size / 1e9:.0f} GB for {count} samples, and {free / 1e9:.0f} GB of disk are free" if size > free / 2 else ""


def look_at(dataset: Any, loader: Any, indices: Iterable[int]) -> None:
    """Compute samples twice, to check that their values are the same."""
    cache.checking = True
    for index in indices:
        sample(dataset, loader, index)
    cache.checking = False


def agrees(dataset: Any, loader: Any, count: int) -> bool:  # only: mel
    look_at(dataset, loader, sorted({index * (count - 1) // (SAMPLES - 1) for index in range(SAMPLES)}))
    return cache.builder.agree()


def look_at_batch(dataset: Any, loader: Any, indices: list[int]) -> None:  # only: rows
    """Compute some samples as a batch, to check that they are the same as one by one."""
    cache.checking = True
    compute(dataset, loader, indices)
    cache.checking = False


class Samples:
    """Computes samples in the processes of a DataLoader, and returns what failed."""

    def __init__(self, dataset: Any, loader: Any, indices: range) -> None:
        self.dataset, self.loader, self.indices = dataset, loader, indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, at: int) -> list[tuple[int, str]]:
        failures.clear()
        sample(self.dataset, self.loader, self.indices[at])
        return list(failures)


def make_all(dataset: Any, loader: Any, indices: range, torch: Any) -> None:
    workers = options.workers or (1 if torch.cuda.is_initialized() else _cores())
    forks = workers > 1 and "fork" in multiprocessing.get_all_start_methods()
    settings = {"num_workers": workers, "multiprocessing_context": "fork"} if forks else {}
    failed, began = list(failures), time.monotonic()
    told = began
    try:
        for done, new in enumerate(torch.utils.data.DataLoader(Samples(dataset, loader, indices), batch_size=None, **settings), 1):
            failed += new
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"{done} of {len(indices)} samples, {done / (told - began):.1f}/s", file=sys.stderr)
    except RuntimeError as error:
        failed.append((-1, str(error)))  # a process was killed
    failures[:] = failed


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def sample(dataset: Any, loader: Any, index: int) -> None:
    """Compute one sample, so that kept() writes what it needs."""
    cache.turn, cache.draws, cache.rounds = [], [], 0  # only: drawn
    compute(dataset, loader, [index])
    while next_turn():  # once for each combination of values it could draw  # only: drawn
        compute(dataset, loader, [index])


def compute(dataset: Any, loader: Any, indices: list[int]) -> None:
    try:
        items = dataset.__getitems__(indices) if getattr(dataset, "__getitems__", None) else [dataset[index] for index in indices]
        if options.collates:  # only: collate
            loader.collate_fn(items)
    except Enough:  # only: mel
        pass
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        failures.append((indices[0], f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"))
        cache.draws = []  # only: drawn


def next_turn() -> bool:  # only: drawn
    cache.rounds += 1
    turn = (cache.turn + [0] * len(cache.draws))[: len(cache.draws)]
    for at in reversed(range(len(turn))):
        turn[at] += 1
        if turn[at] < cache.draws[at] and cache.rounds < options.variants:
            cache.turn, cache.draws = turn[: at + 1], []
            return True
    return False


def go_along(dataset: Any, loader: Any) -> None:  # only: stream
    """Read a stream until it ends or only repeats itself, once for each value a sample could draw."""
    for place in cache.builder.places if cache.builder else ():  # only: mel
        cache.builder.use_own(place, "the dataset is a stream, so its samples cannot be read twice")
    most, turn, before = 1, 0, asked()
    while turn < most:
        cache.turn = [turn] * 8  # only: drawn
        idle, last = 0, 0
        for seen, item in enumerate(dataset, 1):
            if options.collates:  # only: collate
                loader.collate_fn([item])
            if seen == 20 and asked() == before:
                return
            most = min(max([most, *cache.draws]), options.variants)  # only: drawn
            cache.draws = []  # only: drawn
            added = sum(shelf.added for shelf in cache.shelves.values())
            idle = idle + 1 if idle and added == last else 1
            last = added
            if idle > max(1000, 2 * added):
                break
        turn += 1
