"""The times of `saturate bench` beside those of triton.testing.do_bench and torch.utils.benchmark, in one run.

Like for like: the same call on the same tensors, caches cold, medians, after as much load: a GPU at its power cap lowers
its clocks within some 50 ms, and large products take a tenth longer from then on. do_bench empties the cache by itself; the
Timer of torch.utils.benchmark does not, so it times the emptying with the call and alone, and the difference counts.
Warm times stand beside them where the Timer gives some. Who goes first changes from round to round. Needs an
NVIDIA GPU; --smoke runs what a processor can do, on small tensors, and judges nothing.

        PYTHON peers/bench/crosscheck.py [--results FOLDER] [--rounds 3] [--smoke]

Exit status 1 when a kernel of 100 µs or more is off by more than 5%.
"""

import argparse
import datetime
import json
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch
from torch.utils.benchmark import Timer

from saturate_gpu.lab import device as machine
from saturate_gpu.lab import torch_attention as lab
from saturate_gpu.lab import torch_device as home
from saturate_gpu.lab.timing import SETTLE_SECONDS
from saturate_gpu.lab.work import Case

LONG_MS, TOLERANCE = 0.1, 0.05
CASES = [Case(8, 2048, 512, 8, "bf16"), Case(8, 2048, 2048, 16, "bf16"), Case(8, 2048, 2048, 16, "fp32")]
SMALL = [Case(1, 64, 32, 2, "fp32")]


def ways(fn, args, device, flush_bytes, seconds):
    """Each way to time a call: a function that returns milliseconds."""
    buffer = torch.empty(flush_bytes, dtype=torch.int8, device=device)
    names = {"fn": fn, "args": args, "flush": buffer.zero_}

    def timer(statement):
        # As many threads as everybody has: its default is one.
        return 1000 * Timer(statement, globals=names, num_threads=torch.get_num_threads()).blocked_autorange(min_run_time=seconds).median

    def ours(cold):
        measured = lab.benchmark_function(fn, args, iterations=100, cold=cold, max_seconds=2 * seconds, flush=flush_bytes)
        return statistics.median(measured.series)

    out = {
        "saturate cold": lambda: ours(True),
        "Timer cold": lambda: timer("flush(); fn(*args)") - timer("flush()"),
        "saturate warm": lambda: ours(False),
        "Timer warm": lambda: timer("fn(*args)"),
    }
    if device.type == "cuda":
        from triton.testing import do_bench

        # Its warm-up makes calls back to back, which lower the clock of a GPU at its power cap below that of cold calls: three
        # times as long, most of its calls come after the clock has settled again.
        out["do_bench cold"] = lambda: do_bench(lambda: fn(*args), warmup=1000 * SETTLE_SECONDS, rep=3000 * seconds, return_mode="median")
    return out


def calls(case, device):
    """The parts of attention, and the whole of it fused."""
    yield from lab.components(case, device)
    yield "fused attention", lab.at_level(2), tuple(lab.random_qkv(case, device))


def compare(case, name, fn, args, options, watch):
    began = time.monotonic()
    times = {}
    todo = ways(fn, args, options.device, options.flush_bytes, options.seconds)
    for _ in range(options.rounds):
        for way in random.sample(sorted(todo), len(todo)):
            times.setdefault(way, []).append(todo[way]())
    middle = {way: statistics.median(rounds) for way, rounds in times.items()}
    ratios = {
        theirs: middle["saturate " + theirs.split()[-1]] / middle[theirs] - 1
        for theirs in ("do_bench cold", "Timer cold", "Timer warm")
        if theirs in middle and middle[theirs] > 0
    }
    long = not options.smoke and min(v for way, v in middle.items() if way.endswith("cold")) >= LONG_MS
    off = [theirs for theirs, ratio in ratios.items() if long and theirs.endswith("cold") and abs(ratio) > TOLERANCE]
    return {
        "case": vars(case),
        "name": name,
        "median_ms": middle,
        "rounds_ms": times,
        "saturate_over_theirs": ratios,
        "judged": long,
        "off": off,
        "gpu": watch.since(began),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path(__file__).resolve().parent / "results")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1, help="of each way in each round")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    options.device = torch.device("cpu") if options.smoke else home.default_device()
    if options.device.type != "cuda" and not options.smoke:
        sys.exit("torch sees no NVIDIA GPU; --smoke tries what a processor can do")
    options.flush_bytes = 1 << 20 if options.smoke else home.flush_bytes(options.device)
    home.set_precision("ieee")
    random.seed(0)
    watch = machine.Watch(machine.gpu_to_ask(options.device.index or 0) if options.device.type == "cuda" else None)
    found = []
    print(f"{'':52}{'saturate':>10}{'do_bench':>10}{'':>8}{'Timer':>10}{'':>8}   warm{'':>6}{'Timer':>10}")
    for case in SMALL if options.smoke else CASES:
        for name, fn, args in calls(case, options.device):
            one = compare(case, name, fn, args, options, watch)
            found.append(one)
            m, r = one["median_ms"], one["saturate_over_theirs"]
            cells = [f"{m[w]:10.4f}" + (f"{100 * r[w]:+7.1f}%" if w in r else "") if w in m else " " * 18 for w in ("do_bench cold", "Timer cold")]
            label = f"{case.dtype} {case.seq}x{case.d_model} {name}"
            off = "   OFF: " + ", ".join(one["off"]) if one["off"] else ""
            print(f"{label:52}{m['saturate cold']:10.4f}{cells[0]}{cells[1]}{m['saturate warm']:13.4f}{m['Timer warm']:10.4f}{off}", flush=True)
            home.release_memory()
    facts = home.describe(options.device)
    options.results.mkdir(parents=True, exist_ok=True)
    kept = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "device": facts,
        "gpu": watch.since(0),
        "found": found,
    }
    watch.close()
    path = options.results / "crosscheck.json"
    path.write_text(json.dumps(kept, indent=1) + "\n")
    judged = [f for f in found if f["judged"]]
    off = [f for f in judged if f["off"]]
    verdict = f"{len(judged)} of {len(found)} take {1000 * LONG_MS:.0f} µs or more; {len(off)} of them are off by more than {TOLERANCE:.0%}"
    print(f"{'Nothing is judged by so small sizes' if options.smoke else verdict}. All times are in {path}.")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
