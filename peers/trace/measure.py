"""Runs each tool on one trace in turn and tells CPU seconds, wall seconds and peak memory."""

import argparse
import gzip
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

HTA = """
import sys
from hta.trace_analysis import TraceAnalysis
t = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
t.get_temporal_breakdown(visualize=False)
t.get_idle_time_breakdown(ranks=[0], visualize=False)
t.get_gpu_kernel_breakdown(visualize=False)
"""
TENSORBOARD = """
import sys
from torch_tb_profiler.profiler import RunLoader
from torch_tb_profiler.io import Cache
loader = RunLoader("run", sys.argv[1], Cache())
loader.load()
"""
JSON = "import gzip, json, sys; json.load(gzip.open(sys.argv[1]))"
ORJSON = "import gzip, orjson, sys; orjson.loads(gzip.open(sys.argv[1]).read())"


def run(command):
    """One process: (cpu s, wall s, peak MB), or None when it fails."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):  # 1 is "findings" for saturate
        print(command[0], "failed:", error.decode()[-300:], file=sys.stderr)
        return None
    if code == 1 and b"Traceback" in error:
        print(command[0], "failed:", error.decode()[-300:], file=sys.stderr)
        return None
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("python")
    parser.add_argument("-n", type=int, default=3, help="runs of each tool")
    parser.add_argument("--only", default="", help="names of tools, separated by commas")
    parser.add_argument("trace", nargs="?", default="testdata/traces/launchbound.pt.trace.json.gz")
    args = parser.parse_args()

    folder = Path(tempfile.mkdtemp())
    try:
        measure(args, folder)
    finally:
        shutil.rmtree(folder)


def measure(args, folder):
    saturate = str(args.build / "saturate")
    tiled = {n: str(folder / f"tiled{n}.json.gz") for n in (4, 12)}
    for n, path in tiled.items():
        subprocess.run([str(args.build / "tile"), "-n", str(n), args.trace, path], check=True)
    run_dir = folder / "tensorboard"
    run_dir.mkdir()
    shutil.copy(args.trace, run_dir / "worker0.1.pt.trace.json.gz")

    tools = {
        "gzip -dc": (["gzip", "-dc", args.trace], args.n),
        "saturate analyze": ([saturate, "analyze", "-q", args.trace], args.n),
        "json.load": ([args.python, "-c", JSON, args.trace], args.n),
        "orjson": ([args.python, "-c", ORJSON, args.trace], args.n),
        "TensorBoard plugin": ([args.python, "-c", TENSORBOARD, str(run_dir)], 1),
        "HTA": ([args.python, "-c", HTA, args.trace], 1),
        "gzip -dc, 4 times the trace": (["gzip", "-dc", tiled[4]], args.n),
        "saturate analyze, 4 times the trace": ([saturate, "analyze", "-q", tiled[4]], args.n),
        "gzip -dc, 12 times the trace": (["gzip", "-dc", tiled[12]], 1),
        "saturate analyze, 12 times the trace": ([saturate, "analyze", "-q", tiled[12]], 1),
    }
    if args.only:
        tools = {k: v for k, v in tools.items() if k in args.only.split(",")}
    samples = {name: [] for name in tools}
    for turn in range(args.n):
        for name, (command, times) in tools.items():
            if turn < times and (sample := run(command)):
                samples[name].append(sample)

    base = min((s[0] for s in samples.get("gzip -dc", [])), default=None)
    print(f"{'tool':38} {'CPU s':>8} {'wall s':>8} {'peak MB':>8} {'CPU / gzip':>11}  n")
    for name, runs in samples.items():
        if not runs:
            print(f"{name:38} {'failed':>8}")
            continue
        cpu, wall, peak = (statistics.median(r[i] for r in runs) for i in range(3))
        ratio = f"{cpu / base:11.2f}" if base else ""
        print(f"{name:38} {cpu:8.2f} {wall:8.2f} {peak:8.0f} {ratio}  {len(runs)}")

    size = sum(len(b) for b in iter(lambda f=gzip.open(args.trace): f.read(1 << 24), b""))
    result = {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "trace": os.path.basename(args.trace),
        "json_bytes": size,
        "machine": {"cpu": cpu_model(), "cores": os.cpu_count(), "system": platform.platform()},
        "versions": {p: metadata.version(p) for p in ("traceinsight", "torch-tb-profiler", "orjson")},
        "columns": ["cpu_s", "wall_s", "peak_mb"],
        "runs": samples,
    }
    out = Path("peers/trace/results")
    out.mkdir(exist_ok=True)
    (out / "latest.json").write_text(json.dumps(result, indent=1) + "\n")


def cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
