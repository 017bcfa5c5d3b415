"""Measures saturate's kernels and the peers in turn; see run.

Everybody does the same jobs on the same operands. Turns are interleaved in rounds, so that what
else the machine does meets all of them. On one thread what counts is CPU time; on several it is wall
time, which suffers from other programs: the load is recorded.
"""
import argparse
import datetime
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
OPERANDS = 1 << 24


def product(m, n, k, transposed=False):
    return {"op": "product", "rows": m, "cols": n, "depth": k, "transposed": transposed}


def attention(op, seq, heads=8, causal=False):
    return {"op": op, "batch": 1, "heads": heads, "queries": seq, "keys": seq, "width": 64, "causal": causal}


JOBS = [product(n, n, n, t) for n in (128, 256, 512, 1024, 2048) for t in (False, True)]
JOBS += [product(8192, 512, 512, True), product(8192, 1536, 512, True), product(2048, 2048, 64, True), product(2048, 64, 2048)]
JOBS += [{"op": "softmax", "rows": 8192, "cols": n} for n in (128, 512, 2048)]
JOBS += [attention("attention", n) for n in (512, 1024, 2048)]
JOBS += [attention("tiled", n, causal=c) for n in (512, 1024, 2048) for c in (False, True)] + [attention("tiled", 1500, 12)]
JOBS += [{"op": "copy", "values": 1 << 26}, {"op": "triad", "values": 1 << 26}]


def work(job):
    """What a job does, in FLOP, or in bytes where it is memory that counts."""
    if job["op"] == "product":
        return 2 * job["rows"] * job["cols"] * job["depth"]
    if job["op"] == "softmax":
        return 8 * job["rows"] * job["cols"]
    if job["op"] in ("attention", "tiled"):
        flop = 4 * job["batch"] * job["heads"] * job["queries"] * job["keys"] * job["width"]
        return flop / 2 if job["causal"] else flop
    return {"copy": 8, "triad": 12}[job["op"]] * job["values"]


def title(job):
    if job["op"] == "product":
        return f"{job['rows']}×{job['depth']} · " + (f"({job['cols']}×{job['depth']})ᵀ" if job["transposed"] else f"{job['depth']}×{job['cols']}")
    if job["op"] == "softmax":
        return f"softmax {job['rows']}×{job['cols']}"
    if job["op"] in ("attention", "tiled"):
        kind = {"attention": "plain attention", "tiled": "tiled attention"}[job["op"]]
        return f"{kind}, {job['heads']} heads of 64, {job['queries']} long" + (", causal" if job["causal"] else "")
    return f"{job['op']} of {4 * job['values'] >> 20} MiB"


def reference(job, operands):
    """The result in float64, for jobs that take only seconds."""
    if work(job) > 3e9 or job["op"] not in ("product", "softmax", "attention", "tiled"):
        return None
    import peers
    if job["op"] == "product":
        m, n, k = job["rows"], job["cols"], job["depth"]
        a, b = peers.take(job, operands, (m, k), (n, k) if job["transposed"] else (k, n))
        return a.astype(float) @ (b.T if job["transposed"] else b).astype(float)

    def softmax(x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    if job["op"] == "softmax":
        (x,) = peers.take(job, operands, (job["rows"], job["cols"]))
        return softmax(x.astype(float))
    b, h, s, t, d = (job[k] for k in ("batch", "heads", "queries", "keys", "width"))
    q, k, v = (x.astype(float).transpose(0, 2, 1, 3) for x in peers.take(job, operands, (b, s, h, d), (b, t, h, d), (b, t, h, d)))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d)
    if job["causal"]:
        scores += np.triu(np.full((s, t), -np.inf), 1)
    return (softmax(scores) @ v).transpose(0, 2, 1, 3)


def cpu():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def busy(seconds=0.3):
    """The share of all cores that others use just now."""
    def read():
        with open("/proc/stat") as stat:
            ticks = [int(x) for x in stat.readline().split()[1:9]]
        return sum(ticks), ticks[3] + ticks[4]

    total, idle = read()
    time.sleep(seconds)
    total2, idle2 = read()
    return 1 - (idle2 - idle) / max(1, total2 - total)


class Patience:
    """Waits for quiet before a job, for so many seconds in all."""

    def __init__(self, seconds):
        self.seconds = seconds

    def wait(self):
        start, share = time.monotonic(), busy()
        while share > 0.1 and time.monotonic() - start < min(self.seconds, 60):
            time.sleep(1)
            share = busy()
        self.seconds -= time.monotonic() - start
        return round(share, 2)


class Contestant:
    def __init__(self, name, threads, ours, command):
        self.name, self.threads, self.ours, self.version = name, threads, ours, ""
        count = str(threads)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": count, "OMP_NUM_THREADS": count, "MKL_NUM_THREADS": count, "GOMAXPROCS": count})

    def measure(self, job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended at {job}")
        answer = json.loads(line)
        self.version = answer.get("version", self.version)
        return None if answer.get("absent") else answer


def peaks(program, level, lengths):
    """Peak memory of one call in a fresh process each, beside what the operands take."""
    rows = []
    for op in ("attention", "tiled"):
        for seq in lengths:
            job = attention(op, seq) | {"peak": True}
            out = subprocess.run([program, "-level", level, "-threads", "2"], input=json.dumps(job), check=True, capture_output=True, text=True)
            rows.append({"op": op, "seq": seq} | json.loads(out.stdout))
    return rows


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--saturate", required=True)
    options.add_argument("--out", required=True, help="folder for the raw results")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=0.2, help="at most, each turn")
    options.add_argument("--threads", default="1,2")
    options.add_argument("--patience", type=float, default=0, help="seconds to wait, in all, for a quiet machine")
    options = options.parse_args()
    threads = [int(t) for t in options.threads.split(",")]
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "operands.f32")
    operands = np.random.default_rng(1).uniform(-1, 1, OPERANDS).astype(np.float32)
    operands.tofile(path)
    levels = json.loads(subprocess.run([options.saturate, "-levels"], check=True, capture_output=True).stdout)
    everybody = []
    for t in threads:
        everybody += [Contestant(f"saturate {l}", t, True, [options.saturate, "-level", l, "-threads", str(t), "-operands", path]) for l in levels]
        everybody += [Contestant(p, t, False, [sys.executable, os.path.join(HERE, "peers.py"), p, str(t), path]) for p in ("numpy", "torch")]
    rows, references, loads, shares, patience = {}, {}, [], [], Patience(options.patience)
    date = datetime.date.today().isoformat()
    result = {
        "date": date, "cpu": cpu(), "cores": len(os.sched_getaffinity(0)), "load": loads, "busy": shares,
        "measure": "seconds of a call; samples of 1 ms or more, turns interleaved", "rounds": options.rounds,
    }
    name = os.path.abspath(os.path.join(options.out, f"{date}-threads-{options.threads.replace(',', '-')}.json"))
    for turn in range(options.rounds):
        loads.append(os.getloadavg()[0])
        for number, job in enumerate(random.Random(turn).sample(JOBS, len(JOBS))):
            index = JOBS.index(job)
            shares.append(patience.wait())
            if turn == 0:
                references[index] = reference(job, operands)
            for who in random.Random(100 * turn + number).sample(everybody, len(everybody)):
                if who.name == "saturate go" and work(job) > 1e9 and job["op"] in ("product", "attention", "tiled"):
                    continue
                out = os.path.join(folder.name, "result.f32") if references[index] is not None else None
                answer = who.measure(job | {"seconds": options.seconds, "samples": 40, "out": out or ""})
                if answer is None:
                    continue
                row = rows.setdefault((index, who.name, who.threads), {"job": job, "name": who.name, "threads": who.threads, "ours": who.ours, "rounds": []})
                row["rounds"].append({k: [float(f"{x:.4g}") for x in answer[k]] for k in ("wall", "cpu")})
                if out:
                    want = references[index]
                    row["largest_error"] = float(np.abs(np.fromfile(out, np.float32).reshape(want.shape) - want).max() / np.abs(want).max())
            references[index] = None
        keep(name, result | {"versions": {who.name: who.version for who in everybody}, "rows": list(rows.values())})
        print(f"round {turn + 1} of {options.rounds}, load {loads[-1]:.1f}", file=sys.stderr)
    for who in everybody:
        who.process.stdin.close()
    result |= {
        "versions": {who.name: who.version for who in everybody}, "rows": list(rows.values()),
        "memory": peaks(options.saturate, levels[0], (1024, 2048, 4096, 8192)),
    }
    keep(name, result)
    table(result)
    print(f"\nraw results: {os.path.relpath(name)}")


def keep(name, result):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name + ".new", "w") as f:
        json.dump(result, f, indent=None, separators=(",", ":"))
        f.write("\n")
    os.replace(name + ".new", name)


def table(result):
    print(f"{result['cpu']}, {result['cores']} cores; load average {min(result['load']):.1f} to {max(result['load']):.1f} meanwhile")
    busy = sorted(result["busy"])
    print(f"others used {busy[len(busy) // 2]:.0%} of all cores before the median job, {busy[0]:.0%} to {busy[-1]:.0%}; wall times of several threads are worth what that is")
    print("; ".join(v for k, v in result["versions"].items() if not k.startswith("saturate")))
    for threads in sorted({r["threads"] for r in result["rows"]}):
        rows = [r for r in result["rows"] if r["threads"] == threads]
        clock = "cpu" if threads == 1 else "wall"
        names = sorted({r["name"] for r in rows}, key=lambda n: (not n.startswith("saturate"), n.endswith(" go"), "avx2" in n, n))
        unit = "GFLOP/s; GB/s for softmax, copy and triad"
        print(f"\n{threads} thread{'s' * (threads > 1)}, best by {clock.replace('cpu', 'CPU')} time (in brackets the median): {unit}\n")
        print("| | " + " | ".join(names) + " | fastest of ours ÷ numpy | ÷ torch | largest error, ours | peers' |")
        print("|---" * (len(names) + 5) + "|")
        for index, job in enumerate(JOBS):
            mine = {r["name"]: r for r in rows if r["job"] == job}
            if not mine:
                continue
            best = {n: work(job) / min(t for x in r["rounds"] for t in x[clock]) / 1e9 for n, r in mine.items()}
            median = {n: work(job) / statistics.median(t for x in r["rounds"] for t in x[clock]) / 1e9 for n, r in mine.items()}
            ours = max(v for n, v in best.items() if mine[n]["ours"])
            cells = [f"{best[n]:.3g} ({median[n]:.3g})" if n in best else "" for n in names]
            cells += [f"{ours / best[n]:.2f}" if n in best else "" for n in ("numpy", "torch")]
            for side in (True, False):
                errors = [r["largest_error"] for r in mine.values() if r["ours"] == side and "largest_error" in r]
                cells.append(f"{max(errors):.1g}" if errors else "")
            print(f"| {title(job)} | " + " | ".join(cells) + " |")
    print("\nSoftmax: ours works in place, torch from one array to another. Errors are beside float64, as a share of the largest value.")
    print("\n| 8 heads of 64, two threads | asked for beside Q, K, V and the result | said beforehand | peak of the process, MiB |\n|---|---|---|---|")
    for m in result["memory"]:
        kind = {"attention": "plain", "tiled": "tiled"}[m["op"]]
        print(f"| {kind}, {m['seq']} long | {m['asked'] / 2**20:.1f} MiB | {m['said'] / 2**20:.1f} MiB | {m['peak'] / 2**20:.1f} |")


if __name__ == "__main__":
    main()
