"""Makes a job of N ranks from one Kineto trace: an all-reduce is put into each step, which ends when the last rank has come.

    python make_job.py trace.json[.gz] OUT [N] [SLOW]

Rank SLOW computes 20 ms longer in each step. What is put in has launching calls on a thread of its own, as NCCL has. The GPU's later work
and the host's later events move back by as much as a rank computes and waits, which is the same on all ranks: so they differ only in what
is put in, and the rest is written once. The files are not compressed when the trace is not.
"""
import bisect
import gzip
import json
import os
import sys

source, out = sys.argv[1], sys.argv[2]
ranks, slow = int(sys.argv[3]) if len(sys.argv) > 3 else 8, int(sys.argv[4]) if len(sys.argv) > 4 else 5
ending = ".json.gz" if source.endswith(".gz") else ".json"
file = (lambda name, mode: gzip.open(name, mode, compresslevel=3)) if ending == ".json.gz" else open
os.makedirs(out, exist_ok=True)
with (gzip.open if ending == ".json.gz" else open)(source, "rt") as f:
    doc = json.load(f)
events = doc["traceEvents"]
steps = sorted((e for e in events if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")), key=lambda e: e["ts"])
kernels = sorted(e["ts"] for e in events if e.get("cat") == "kernel")
transfer, late = 3000.0, 20000.0

points = []  # where a step's collective begins, in the source's times
for step in steps:
    first, end = bisect.bisect_left(kernels, step["ts"]), bisect.bisect_left(kernels, step["ts"] + step["dur"])
    points.append(kernels[first + (end - first) * 3 // 4])
for e in events:
    if "ts" not in e:
        continue
    before = bisect.bisect_right(points, e["ts"])
    if "dur" in e and e.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
        inside = bisect.bisect_left(points, e["ts"] + e["dur"]) - before
        e["dur"] += max(inside, 0) * (late + transfer)
    e["ts"] += before * (late + transfer)
host = {"pid": steps[0]["pid"], "tid": 424242}
shared = ", ".join(json.dumps(e) for e in events)
rest = {k: v for k, v in doc.items() if k != "traceEvents"}
del doc, events


def launch(ts, number, stream):
    return [
        {**host, "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "ts": ts - 20, "dur": 5, "args": {"correlation": number, "External id": number}},
        {**host, "ph": "s", "id": number, "cat": "ac2g", "name": "ac2g", "ts": ts - 20},
        {"ph": "f", "bp": "e", "id": number, "cat": "ac2g", "name": "ac2g", "ts": ts, "pid": 0, "tid": stream},
    ]


for rank in range(ranks):
    own = late if rank == slow else 37.0 * rank
    added = []
    for k, at in enumerate(points):
        start, number = at + k * (late + transfer), 900_000_000 + 2 * k
        base = {"ph": "X", "cat": "kernel", "pid": 0}
        if rank == slow:
            added.append({**base, "tid": 7, "name": "slow_kernel", "ts": start, "dur": own, "args": {"device": 0, "context": 1, "stream": 7, "correlation": number, "External id": number}})
            added += launch(start, number, 7)
        added.append({**base, "tid": 20, "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ts": start + own, "dur": late - own + transfer, "args": {
            "device": 0, "context": 1, "stream": 20, "correlation": number + 1, "External id": number + 1, "Collective name": "allreduce", "In msg nelems": 16777216,
            "Out msg nelems": 16777216, "Group size": ranks, "dtype": "BFloat16", "Process Group Name": "0", "Process Group Description": "default_pg",
            "Process Group Ranks": str(list(range(ranks))), "Seq": k}})
        added += launch(start + own, number + 1, 20)
    head = json.dumps({**rest, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}})
    with file(os.path.join(out, f"rank-{rank}{ending}"), "wt") as f:
        f.write(head[:-1] + ', "traceEvents": [' + shared + ", " + ", ".join(json.dumps(e) for e in added) + "]}")
