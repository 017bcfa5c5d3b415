"""Writes a job of the public StragglerAnalysis data (one row per operation) as Kineto traces, one per worker:

    python from_straggler_analysis.py trace-AR.parquet OUT [STEPS]

Computations become kernels with their launches; sends, receives and collectives become NCCL kernels with their group and sequence number.
"""
import json
import os
import sys

import pandas as pd

d, out = pd.read_parquet(sys.argv[1]), sys.argv[2]
os.makedirs(out, exist_ok=True)
steps = sorted(d.step.unique())[: int(sys.argv[3]) if len(sys.argv) > 3 else 8]
d = d[d.step.isin(steps)]
stages, dps = d.stage.max() + 1, d.dp_rank.max() + 1
number = lambda dp, stage: int(dp * stages + stage)
kinds = {"grads-reduce-scatter": "_reduce_scatter_base", "params-all-gather": "_allgather_base", "embedding-grads-all-reduce": "allreduce"}
for (dp, stage), rows in d.groupby(["dp_rank", "stage"]):
    events, corr, rank = [], 0, number(dp, stage)
    for step, ops in rows.groupby("step"):
        begin, end = ops.start_ts.min() * 1e6, (ops.start_ts + ops.duration).max() * 1e6
        base = 200e6 * steps.index(step)  # each step counts from 0; all workers agree on that
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1000 + rank, "tid": 1000 + rank, "ts": base, "dur": 190e6})
        for i, o in enumerate(ops.sort_values("start_ts").itertuples()):
            if o.optype in ("gc", "layernorm-grads-all-reduce"):
                continue
            ts, dur, corr = base + o.start_ts * 1e6, o.duration * 1e6, corr + 1
            args = {"device": 0, "stream": 7, "correlation": corr}
            name, stream = o.optype, 7
            if o.optype in kinds or o.optype.endswith(("send", "recv")):
                stream = 20 if o.optype in kinds else 21 + ["forward-send", "forward-recv", "backward-send", "backward-recv"].index(o.optype)
                name = "ncclDevKernel_SendRecv"
                if o.optype in kinds:
                    members = [0, stages - 1] if o.optype.startswith("embedding") else list(range(dps))
                    ranks = [number(dp, m) for m in members] if o.optype.startswith("embedding") else [number(m, stage) for m in members]
                    what, seq, purpose = kinds[o.optype], int(step) * 1000 + ["grads-reduce-scatter", "params-all-gather", "embedding-grads-all-reduce"].index(o.optype), "dp"
                else:
                    forward = o.optype.startswith("forward")
                    other = stage + (1 if forward == o.optype.endswith("send") else -1)
                    ranks = sorted([rank, number(dp, other)])
                    what, seq, purpose = o.optype.split("-")[1], int(step) * 1000 + int(o.mb_id) * 2 + forward, "pp"
                args.update({"stream": stream, "Collective name": what, "Group size": len(ranks), "dtype": "BFloat16", "Process Group Name": f"{purpose}{ranks}",
                             "Process Group Description": purpose, "Process Group Ranks": str(ranks), "Seq": seq, "In msg nelems": 1 << 20})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": ts, "dur": dur, "args": args})
            op = "autograd::engine::evaluate_function: Backward" if o.optype.startswith("backward") else "aten::" + o.optype
            events.append({"ph": "X", "cat": "cpu_op", "name": op, "pid": 1000 + rank, "tid": 1000 + rank, "ts": ts - 20, "dur": 15})
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1000 + rank, "tid": 1000 + rank, "ts": ts - 15, "dur": 5, "args": {"correlation": corr}})
    with open(os.path.join(out, f"rank-{rank}.json"), "w") as f:
        json.dump({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": int(stages * dps)}, "baseTimeNanoseconds": 1700000000000000000,
                   "displayTimeUnit": "ms", "traceEvents": events}, f)
