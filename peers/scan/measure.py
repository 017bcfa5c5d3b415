"""Runs each tool over the same sources in turn, on one core, and tells lines a second of CPU time.

A slow tool gets every n-th file instead of all, so that the run ends; its lines a second are those of the
files it read. A tool that is not done in time is reported as such and counted no further.
"""

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


LIMIT = 900  # seconds on the wall for one run


def gather(venv, folder, every):
    """Copies every n-th source file to where no tool takes it for a library; counts the lines."""
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
    """One process on core 0: CPU seconds, wall seconds and peak MB; None when it failed."""
    start = time.perf_counter()
    env = dict(os.environ, GOMAXPROCS="1", RAYON_NUM_THREADS="1")
    with tempfile.TemporaryFile() as errors:
        command = ["timeout", str(LIMIT), "taskset", "-c", "0", *command]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=env)
        _, status, usage = os.wait4(child.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 1):  # 1: it has findings
            errors.seek(0)
            why = f"not done after {LIMIT} s" if code == 124 else errors.read().decode(errors="replace")[-300:]
            print(*command[4:], "failed:", why, file=sys.stderr)
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


def rate(runs, lines):
    """Lines a second of CPU time, at the median of the runs; 0 when there are none."""
    return lines / statistics.median(r[0] for r in runs) if runs else 0


def measure(args, scratch):
    whole, tenth, hundredth = (scratch / name for name in ("whole", "tenth", "hundredth"))
    sizes = {folder: gather(args.venv, folder, every) for folder, every in ((whole, 1), (tenth, 10), (hundredth, 100))}
    bin = args.venv / "bin"
    tools = {
        "saturate scan": (whole, [str(args.build / "saturate"), "scan", "-q", "--statistics", str(whole)], args.n),
        "ruff check --select PERF": (whole, [str(bin / "ruff"), "check", "-q", "--isolated", "--no-cache", "--select", "PERF", str(whole)], args.n),
        "hotpath analyze": (tenth, [str(bin / "hotpath"), "analyze", str(tenth)], min(args.n, 2)),
        "torchfix --select ALL": (hundredth, [str(bin / "torchfix"), "--select", "ALL", str(hundredth)], 1),
    }
    samples = {name: [] for name in tools}
    for turn in range(args.n):
        for name, (_, command, times) in tools.items():
            if turn < times and (sample := run(command)):
                samples[name].append(sample)

    ruff = rate(samples["ruff check --select PERF"], sizes[whole][1])
    print(f"{'tool':28} {'files read':>12} {'lines':>10} {'CPU s':>8} {'lines/s':>10} {'of ruff':>8} {'peak MB':>8}  n")
    for name, runs in samples.items():
        folder = tools[name][0]
        files, lines = sizes[folder]
        if not runs:
            print(f"{name:28} {'failed':>12}")
            continue
        speed, cpu = rate(runs, lines), statistics.median(r[0] for r in runs)
        share = f"{speed / ruff:8.2f}" if ruff else f"{'-':>8}"
        print(f"{name:28} {files:6,} {folder.name:>5.5} {lines:10,} {cpu:8.2f} {speed:10,.0f} {share} {max(r[2] for r in runs):8.0f}  {len(runs)}")

    result = {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "system": platform.platform()},
        "versions": {p: metadata.version(p) for p in ("ruff", "torchfix", "hotpath-ai", *PACKAGES)},
        "read": {f.name: {"files": n, "lines": lines} for f, (n, lines) in sizes.items()},
        "columns": ["cpu_s", "wall_s", "peak_mb"],
        "runs": {name: {"read": tools[name][0].name, "samples": runs} for name, runs in samples.items()},
    }
    out = Path("peers/scan/results")
    out.mkdir(exist_ok=True)
    (out / "latest.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
