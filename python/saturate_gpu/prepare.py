"""Fills the cache that training reads. The script of a project calls main(), once, before training.

    python scripts/precompute_tts.py train.py --size tiny

The program runs up to its first batch, so that its own code builds the dataset. Then every sample is computed once
(and once for each voice it could draw), kept() writes the results to the folder offline/, and the
program ends before it trains. A run that was stopped or killed resumes where it stopped.

Where Whisper features are cached, --features mel lets `saturate mel` build them, as FP16 in one file, and compares
them with your own. --features own caches your own, bit for bit. auto, the default, uses mel where your own code
would be slow.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import runpy
import sys
import time
import traceback
from pathlib import Path
from typing import Any, Iterable, NoReturn

from . import offline

options = argparse.Namespace()
collates = mel = False  # some of what is cached is computed in the collate function; saturate mel may build some of it
failures: list[tuple[Any, str]] = []
SAMPLES = 8  # to compare, of features that saturate mel built


def main(in_collate: bool = False) -> NoReturn:
    """Run the program that the command line names, up to its first batch, and fill the cache. Does not return."""
    global options, collates, mel
    collates, mel = in_collate, any(about.get("mel") for about in offline.PLACES.values())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=0, help="number of processes; default: one per core, 1 if CUDA is in use")
    parser.add_argument("--variants", type=int, default=256, help="maximum combinations of drawn values per sample")
    if mel:
        parser.add_argument("--features", choices=["auto", "own", "mel"], default="auto", help="who computes Whisper features")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="the training program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args()
    if mel:
        from . import whisper_features

        offline.builder = whisper_features.Builder(options.features)
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
        if prepare(loaders, self):
            leave(finish())
        return begin(self)

    def first_step(*args: Any, **kwargs: Any) -> None:
        print("training began before a DataLoader asked for anything to cache", file=sys.stderr)
        leave(finish())

    DataLoader.__init__, DataLoader.__iter__ = note, first_batch
    torch.autograd.backward = first_step
    offline.preparing = True
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(options.program).resolve().parent))
        runpy.run_path(options.program, run_name="__main__")
    print("the program ended without asking a DataLoader for a batch", file=sys.stderr)
    leave(finish())


def leave(code: int) -> NoReturn:
    """Exit at once: the program's own clean-up would save an untrained model."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def finish() -> int:
    for place in offline.PLACES:  # other processes may have added entries
        shelf = offline.Shelf(place)
        if place in offline.refused:
            shelf.drop()
            continue
        print(f"{shelf.finish()} entries in {shelf.folder / 'manifest.json'}", file=sys.stderr)
    ignore = offline.FOLDER / ".gitignore"
    if offline.FOLDER.is_dir() and not ignore.exists():
        ignore.write_text("*\n")
    for index, reason in failures[:5]:
        print(f"sample {index} failed: {reason}", file=sys.stderr)
    for place, reason in offline.refused.items():
        print(f"{place} is not cached: {reason}", file=sys.stderr)
    for place, reason in offline.varied.items():
        print(f"{place}: {reason}", file=sys.stderr)
    if offline.builder:
        offline.builder.tell()
    if failures:
        print(f"{len(failures)} samples failed; run the same command to retry them", file=sys.stderr)
    elif not asked():
        print("no sample asked saturate_offline for anything", file=sys.stderr)
    return 1 if failures or offline.refused or not asked() else 0


def asked() -> int:
    return sum(shelf.asked for shelf in offline._shelves.values())


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
    dataset = loader.dataset
    if isinstance(dataset, torch.utils.data.IterableDataset):
        return go_along(dataset, loader)
    count = len(dataset)
    before = asked()
    look_at(dataset, loader, range(min(2, count)))
    if asked() == before:
        return False  # another kind of data
    builder = offline.builder
    again = builder and builder.decide(count)
    make_all(dataset, loader, 0 if again else 2, count, torch)
    if builder and not (builder.build() and agrees(dataset, loader, count)):
        make_all(dataset, loader, 0, count, torch)
    return True


def look_at(dataset: Any, loader: Any, indices: Iterable[int]) -> None:
    """Compute samples twice, to check that their values are the same."""
    offline.checking = True
    for index in indices:
        sample(dataset, loader, index)
    offline.checking = False


def agrees(dataset: Any, loader: Any, count: int) -> bool:
    look_at(dataset, loader, sorted({index * (count - 1) // (SAMPLES - 1) for index in range(SAMPLES)}))
    return offline.builder.agree()


def make_all(dataset: Any, loader: Any, first: int, count: int, torch: Any) -> None:
    clock[:] = [time.monotonic()] * 2
    workers = options.workers or (1 if torch.cuda.is_initialized() else _cores())
    if workers < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for index in range(first, count):
            sample(dataset, loader, index)
            tell(index, count)
    else:
        in_processes(dataset, loader, first, count, workers, torch)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(dataset: Any, loader: Any, first: int, count: int, workers: int, torch: Any) -> None:
    """Worker processes share a counter: each takes the next sample, and stops when this process is gone."""
    system, parent = multiprocessing.get_context("fork"), os.getpid()
    following, results = system.Value("q", first), system.SimpleQueue()

    def work() -> None:
        torch.set_num_threads(1)
        while os.getppid() == parent:
            with following.get_lock():
                index = following.value
                following.value += 1
            if index >= count:
                break
            failures.clear()
            sample(dataset, loader, index)
            for failure in failures:
                results.put(failure)
        leave(0)

    processes = [system.Process(target=work) for _ in range(workers)]
    for process in processes:
        process.start()
    while processes:
        processes[0].join(0.2)
        while not results.empty():
            failures.append(results.get())
        tell(min(following.value, count), count)
        if processes[0].exitcode is not None:
            code = processes.pop(0).exitcode
            if code:
                failures.append(("?", f"a process ended with {code}"))


clock = [0.0, 0.0]  # start of the dataset, last progress line


def tell(done: int, count: int) -> None:
    if time.monotonic() - clock[1] > 10:
        clock[1] = time.monotonic()
        print(f"{done} of {count} samples, {done / (clock[1] - clock[0]):.1f}/s", file=sys.stderr)


def sample(dataset: Any, loader: Any, index: int) -> None:
    """Compute one sample, once for each combination of values it could draw."""
    offline.turn[:] = []
    for _ in range(options.variants):
        offline.draws[:] = []
        try:
            item = dataset.__getitems__([index])[0] if getattr(dataset, "__getitems__", None) else dataset[index]
            if collates:
                loader.collate_fn([item])
        except offline.Enough:
            pass
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            failures.append((index, f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"))
            return
        if not next_turn():
            return


def next_turn() -> bool:
    turn = (list(offline.turn) + [0] * len(offline.draws))[: len(offline.draws)]
    for at in reversed(range(len(turn))):
        turn[at] += 1
        if turn[at] < offline.draws[at]:
            offline.turn[:] = turn[: at + 1]
            return True
    return False


def go_along(dataset: Any, loader: Any) -> bool:
    """Read a stream until it ends or only repeats itself, once for each value a sample could draw."""
    if offline.builder:
        for place in offline.builder.places:
            offline.builder.use_own(place, "the dataset is a stream, so its samples cannot be read twice")
    most, turn, before = 1, 0, asked()
    while turn < min(most, options.variants):
        offline.turn[:] = [turn] * 8
        idle, last = 0, 0
        for seen, item in enumerate(dataset, 1):
            if collates:
                loader.collate_fn([item])
            if seen == 20 and asked() == before:
                return False
            most = max([most, *offline.draws])
            offline.draws[:] = []
            added = sum(shelf.added for shelf in offline._shelves.values())
            idle = idle + 1 if idle and added == last else 1
            last = added
            if idle > max(1000, 2 * added):
                break
        turn += 1
    return asked() > before
