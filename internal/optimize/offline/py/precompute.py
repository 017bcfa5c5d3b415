"""Makes the files that training reads: run it once, before training, with the training program behind it.

    python scripts/precompute_tts.py train.py --size tiny

The program runs up to its first batch, so that its own code builds the data set; then every sample is asked
for once (and once for each voice that it could draw), what saturate_offline.kept() makes on the way is written to
the folder offline/, and the program ends before it trains. A run that was stopped or killed goes on where it was.

With whisper_features.py beside it, --features mel has features of Whisper built by `saturate mel`, as FP16 in one file, which are
compared with the project's own; --features own keeps the project's own, bit for bit; auto, the default, does the first where the
second would cost much.
"""

import argparse
import multiprocessing
import os
import runpy
import sys
import time
import traceback
from pathlib import Path

HELPER = Path(__file__).resolve().parent / ".."
COLLATES = False  # some of what is kept is made in the collate function
MEL = (Path(__file__).resolve().parent / "whisper_features.py").exists()  # saturate mel may build some of it

if __name__ == "__main__":
    sys.path[0] = str(HELPER.resolve())

import saturate_offline as offline

if MEL:
    sys.path.insert(1, str(Path(__file__).resolve().parent))
    import whisper_features

options = None
failures = []


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=0, help="processes; default: one per core, 1 with CUDA in use")
    parser.add_argument("--variants", type=int, default=256, help="most combinations of drawn values per sample")
    if MEL:
        parser.add_argument("--features", choices=["auto", "own", "mel"], default="auto", help="who makes features of Whisper")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="the training program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args()
    if MEL and options.features == "mel" and not whisper_features.binary():
        sys.exit(whisper_features.MISSING)

    import torch
    from torch.utils.data import DataLoader

    loaders, begin, build = [], DataLoader.__iter__, DataLoader.__init__

    def note(self, *args, **kwargs):
        build(self, *args, **kwargs)
        loaders.append(self)

    def first_batch(self):
        if int(os.environ.get("RANK", "0")) > 0:
            leave(0)  # the first process makes the files for all
        if prepare(loaders, self):
            leave(finish())
        return begin(self)

    def first_step(*args, **kwargs):
        print("the program began to train without asking a DataLoader for what is to be kept", file=sys.stderr)
        leave(finish())

    DataLoader.__init__, DataLoader.__iter__ = note, first_batch
    torch.autograd.backward = first_step
    offline.preparing = True
    offline.builder = whisper_features.Builder(options.features) if MEL else None
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(options.program).resolve().parent))
        runpy.run_path(options.program, run_name="__main__")
    print("the program ended without asking a DataLoader for a batch", file=sys.stderr)
    leave(finish())


def leave(code):
    """At once: the program's own clean-up would save a model that was not trained."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def finish():
    for place in offline.PLACES:  # other processes may have made what this one never asked for
        shelf = offline.Shelf(place)
        if place in offline.refused:
            shelf.drop()
            continue
        print(f"{shelf.finish()} entries in {shelf.folder / 'manifest.json'}", file=sys.stderr)
    ignore = offline.FOLDER / ".gitignore"
    if offline.FOLDER.is_dir() and not ignore.exists():
        ignore.write_text("*\n")
    for index, reason in failures[:5]:
        print(f"sample {index} could not be made: {reason}", file=sys.stderr)
    for place, reason in offline.refused.items():
        print(f"{place} is not kept: {reason}", file=sys.stderr)
    for place, reason in offline.varied.items():
        print(f"{place}: {reason}", file=sys.stderr)
    if offline.builder:
        offline.builder.tell()
    if failures:
        print(f"{len(failures)} samples failed; the same command tries them again", file=sys.stderr)
    elif not asked():
        print("no sample asked saturate_offline for anything", file=sys.stderr)
    return 1 if failures or offline.refused or not asked() else 0


def asked():
    return sum(shelf.asked for shelf in offline._shelves.values())


def prepare(loaders, current):
    """Goes through the data sets of all loaders; tells whether training starts with this one."""
    import torch

    used = False
    for loader in loaders:
        if not hasattr(loader, "saturate_used"):
            loader.saturate_used = go_through(loader, torch)
        used = used or loader.saturate_used and loader is current
    shuffled = not isinstance(current.sampler, torch.utils.data.SequentialSampler)
    return used and (shuffled or torch.is_grad_enabled())  # a first look at the validation set comes without gradients


def go_through(loader, torch):
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


def look_at(dataset, loader, indices):
    """Makes samples, and each of their values once more, to see that it is the same."""
    offline.checking = True
    for index in indices:
        sample(dataset, loader, index)
    offline.checking = False


def agrees(dataset, loader, count):
    look_at(dataset, loader, sorted({index * (count - 1) // (whisper_features.SAMPLES - 1) for index in range(whisper_features.SAMPLES)}))
    return offline.builder.agree()


def make_all(dataset, loader, first, count, torch):
    clock[:] = [time.monotonic()] * 2
    workers = options.workers or (1 if torch.cuda.is_initialized() else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    if workers < 2 or "fork" not in multiprocessing.get_all_start_methods():
        for index in range(first, count):
            sample(dataset, loader, index)
            tell(index, count)
    else:
        in_processes(dataset, loader, first, count, workers, torch)


def in_processes(dataset, loader, first, count, workers, torch):
    """Processes that share a counter: each takes the next sample, and stops when this one is gone."""
    system, parent = multiprocessing.get_context("fork"), os.getpid()
    following, results = system.Value("q", first), system.SimpleQueue()

    def work():
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


clock = [0.0, 0.0]  # when the data set was begun, when something was last said


def tell(done, count):
    if time.monotonic() - clock[1] > 10:
        clock[1] = time.monotonic()
        print(f"{done} of {count} samples, {done / (clock[1] - clock[0]):.1f}/s", file=sys.stderr)


def sample(dataset, loader, index):
    """One sample, once for each combination of what it could draw."""
    offline.turn[:] = []
    for _ in range(options.variants):
        offline.draws[:] = []
        try:
            item = dataset.__getitems__([index])[0] if getattr(dataset, "__getitems__", None) else dataset[index]
            if COLLATES:
                loader.collate_fn([item])
        except offline.Enough:
            pass
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            failures.append((index, f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"))
            return
        if not next_turn():
            return


def next_turn():
    turn = (list(offline.turn) + [0] * len(offline.draws))[: len(offline.draws)]
    for at in reversed(range(len(turn))):
        turn[at] += 1
        if turn[at] < offline.draws[at]:
            offline.turn[:] = turn[: at + 1]
            return True
    return False


def go_along(dataset, loader):
    """A stream is read until it ends or repeats itself for long, once for each value that a sample could draw."""
    if offline.builder:
        for place in offline.builder.places:
            offline.builder.use_own(place, "the data set is a stream, whose samples cannot be asked for twice")
    most, turn, before = 1, 0, asked()
    while turn < min(most, options.variants):
        offline.turn[:] = [turn] * 8
        idle = 0
        for seen, item in enumerate(dataset, 1):
            if COLLATES:
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


if __name__ == "__main__":
    main()
