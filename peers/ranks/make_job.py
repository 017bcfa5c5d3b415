"""Makes a job of N ranks from one Kineto trace: an all-reduce is put into each step, which ends when the last rank has come.

    python make_job.py trace.json.gz OUT [N] [SLOW]

Rank SLOW computes 20 ms longer in each step. What is put in has launching calls on a thread of its own, as NCCL has. The GPU's later work and the host's later events move back by as much as the rank waits.
"""
import gzip
import json
import os
import sys

source, out = sys.argv[1], sys.argv[2]
ranks, slow = int(sys.argv[3]) if len(sys.argv) > 3 else 8, int(sys.argv[4]) if len(sys.argv) > 4 else 5
os.makedirs(out, exist_ok=True)
doc = json.load(gzip.open(source))
events = doc["traceEvents"]
steps = sorted((e for e in events if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")), key=lambda e: e["ts"])
kernels = sorted((e for e in events if e.get("cat") == "kernel"), key=lambda e: e["ts"])
transfer, late = 3000.0, 20000.0
for rank in range(ranks):
    points, shift = [], 0.0
    for step in steps:
        inside = [k for k in kernels if step["ts"] <= k["ts"] < step["ts"] + step["dur"]]
        at = inside[len(inside) * 3 // 4]["ts"]
        own = late if rank == slow else 37.0 * rank
        points.append((at, own, late - own + transfer))
    copy = []
    for e in events:
        e = dict(e)
        if "ts" in e:
            ts, dur = e["ts"], e.get("dur", 0)
            for at, own, rest in points:
                if ts >= at:
                    e["ts"] += own + rest
                elif ts + dur > at and e.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
                    e["dur"] += own + rest
        copy.append(e)
    for k, (at, own, rest) in enumerate(points):
        start = at + k * (late + transfer)
        base = {"ph": "X", "cat": "kernel", "pid": 0}

        def launch(ts, number, stream):
            host = {"pid": steps[0]["pid"], "tid": 424242}
            copy.append({**host, "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "ts": ts - 20, "dur": 5, "args": {"correlation": number, "External id": number}})
            copy.append({**host, "ph": "s", "id": number, "cat": "ac2g", "name": "ac2g", "ts": ts - 20})
            copy.append({"ph": "f", "bp": "e", "id": number, "cat": "ac2g", "name": "ac2g", "ts": ts, "pid": 0, "tid": stream})

        if rank == slow:
            copy.append({**base, "tid": 7, "name": "slow_kernel", "ts": start, "dur": own, "args": {"device": 0, "context": 1, "stream": 7, "correlation": 900000 + 2 * k, "External id": 900000 + 2 * k}})
            launch(start, 900000 + 2 * k, 7)
        copy.append({**base, "tid": 20, "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ts": start + own, "dur": rest, "args": {
            "device": 0, "context": 1, "stream": 20, "correlation": 900001 + 2 * k, "External id": 900001 + 2 * k, "Collective name": "allreduce", "In msg nelems": 16777216,
            "Out msg nelems": 16777216, "Group size": ranks, "dtype": "BFloat16", "Process Group Name": "0", "Process Group Description": "default_pg",
            "Process Group Ranks": str(list(range(ranks))), "Seq": k}})
        launch(start + own, 900001 + 2 * k, 20)
    with gzip.open(os.path.join(out, f"rank-{rank}.json.gz"), "wt", compresslevel=3) as f:
        json.dump({**doc, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}, "traceEvents": copy}, f)
