"""Runs a training script and says how much of its step time the main thread waited for data.

    python data_wait.py whisper-tts/train.py --steps 50

A step lasts from one request to the DataLoader to the next; its wait is the time inside that request,
starting an epoch's iterator included. The first five steps and the last (which has no successor) are left out.
The last line is JSON: {"steps": 44, "s_per_it": 0.12, "wait_s_per_it": 0.09, "wait_share": 0.75}.
"""

import json
import runpy
import sys
import time
from pathlib import Path

from torch.utils.data import dataloader

WARMUP = 5
calls = []  # (start, end, whether a batch came of it)


def timed(function, gives_batch):
    def call(self):
        start, came = time.perf_counter(), False
        try:
            result = function(self)
            came = gives_batch
            return result
        finally:
            calls.append((start, time.perf_counter(), came))

    return call


def main():
    script, sys.argv = Path(sys.argv[1]), sys.argv[1:]
    sys.path.insert(0, str(script.parent))
    base = dataloader._BaseDataLoaderIter
    base.__next__ = timed(base.__next__, True)
    dataloader.DataLoader.__iter__ = timed(dataloader.DataLoader.__iter__, False)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.stdout.flush()

    steps, start, wait = [], None, 0.0
    for begin, end, came in calls:
        start = begin if start is None else start
        wait += end - begin
        if came:
            steps.append((start, wait))
            start, wait = None, 0.0
    if len(steps) < WARMUP + 2:
        sys.exit(f"data_wait.py: {script} took {len(steps)} batches; {WARMUP + 2} are needed.")
    measured = steps[WARMUP:-1]
    wall = (steps[-1][0] - measured[0][0]) / len(measured)
    waited = sum(wait for _, wait in measured) / len(measured)
    result = {"steps": len(measured), "s_per_it": wall, "wait_s_per_it": waited, "wait_share": waited / wall}
    print(json.dumps({k: round(v, 5) for k, v in result.items()}))


if __name__ == "__main__":
    main()
