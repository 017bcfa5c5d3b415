"""Runs each tool over the same sources in turn, on one core, and tells lines a second of CPU time."""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

PACKAGES = ("transformers", "accelerate", "lightning")


def gather(venv, folder, every):
    """Copies every n-th source file, under names that no tool takes for a test; counts the lines."""
    site = next((venv / "lib").glob("python3*/site-packages"))
    lines = files = 0
    for package in PACKAGES:
        for i, path in enumerate(sorted((site / package).rglob("*.py"))):
            if i % every:
                continue
            target = folder / path.relative_to(site)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
            lines += path.read_bytes().count(b"\n")
            files += 1
    return files, lines


def run(command):
    """One process on core 0: CPU and wall seconds."""
    start = time.perf_counter()
    env = dict(os.environ, GOMAXPROCS="1", RAYON_NUM_THREADS="1")
    child = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        print(command, "failed:", error.decode()[-300:], file=sys.stderr)
        return None
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("venv", type=Path)
    parser.add_argument("-n", type=int, default=3, help="runs of each tool")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(args, Path(scratch))


def measure(args, scratch):
    whole, tenth = scratch / "whole", scratch / "tenth"
    sizes = {whole: gather(args.venv, whole, 1), tenth: gather(args.venv, tenth, 10)}
    bin = args.venv / "bin"
    tools = {
        "saturate scan": (whole, [str(args.build / "saturate"), "scan", "-q", "--statistics", str(whole)], args.n),
        "ruff check --select PERF": (whole, [str(bin / "ruff"), "check", "-q", "--isolated", "--no-cache", "--select", "PERF", str(whole)], args.n),
        "hotpath analyze": (tenth, [str(bin / "hotpath"), "analyze", str(tenth)], 1),
        "torchfix --select ALL": (tenth, [str(bin / "torchfix"), "--select", "ALL", str(tenth)], 1),
    }
    samples = {name: [] for name in tools}
    for turn in range(args.n):
        for name, (_, command, times) in tools.items():
            if turn < times and (sample := run(command)):
                samples[name].append(sample)

    print(f"{'tool':28} {'lines':>10} {'CPU s':>8} {'lines/s':>10} {'peak MB':>8}  n")
    for name, runs in samples.items():
        lines = sizes[tools[name][0]][1]
        if not runs:
            print(f"{name:28} {'failed':>10}")
            continue
        cpu = statistics.median(r[0] for r in runs)
        print(f"{name:28} {lines:10,} {cpu:8.2f} {lines / cpu:10,.0f} {max(r[2] for r in runs):8.0f}  {len(runs)}")

    result = {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "system": platform.platform()},
        "versions": {p: metadata.version(p) for p in ("ruff", "torchfix", "hotpath-ai", *PACKAGES)},
        "read": {f.name: {"files": n, "lines": lines} for f, (n, lines) in sizes.items()},
        "columns": ["cpu_s", "wall_s", "peak_mb"],
        "runs": samples,
    }
    out = Path("peers/scan/results")
    out.mkdir(exist_ok=True)
    (out / "latest.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
