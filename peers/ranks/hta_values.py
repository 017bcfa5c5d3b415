"""HTA's figures that tests compare with, as JSON: queue lengths, memory bandwidth, kernel sequences, operator counts of one step.

    pip install traceinsight==0.6.1
    python peers/ranks/hta_values.py > internal/analyze/testdata/hta_values.json

Runs in the repository's root, on testdata/traces, with HTA's rounding to microseconds turned off.
"""
import json
import logging
import os
import sys
import tempfile
import warnings

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
from hta.common.trace import Trace  # noqa: E402
from hta.trace_analysis import TraceAnalysis  # noqa: E402
from hta.trace_diff import DeviceType, LabeledTrace, TraceDiff  # noqa: E402


def path(name):
    return os.path.abspath(f"testdata/traces/{name}.pt.trace.json.gz")


def records(table):
    table = table.reset_index()
    table.columns = ["|".join(c).strip("|") if isinstance(c, tuple) else c for c in table.columns]
    return json.loads(table.to_json(orient="records"))


out = {"series": {}, "sequences": {}}
for name in ["starved", "fixed", "compiled"]:
    a = TraceAnalysis(trace_files={0: path(name)}, trace_dir="")
    out["series"][name] = {"queue": records(a.get_queue_length_summary()), "bandwidth": records(a.get_memory_bw_summary())}
    if name == "fixed":
        for op in ["aten::_cudnn_attention_backward", "aten::native_layer_norm_backward"]:
            with tempfile.TemporaryDirectory() as folder:
                rows = records(a.get_frequent_cuda_kernel_sequences(op, folder, visualize=False, top_k=100))
            out["sequences"][op] = sorted(rows, key=lambda r: -r["count"])

# Operators and calls of the second step on each side.
sides = []
for name in ["starved", "fixed"]:
    t = Trace(trace_files={0: path(name)}, trace_dir="")
    t.parse_traces(use_multiprocessing=False)
    t.align_and_filter_trace()
    sides.append(LabeledTrace(label=name, t=t))
kinds = ["cpu_op", "cuda_runtime", "cuda_driver"]
names = set()
for side in sides:
    symbols, table = side.t.symbol_table.get_sym_table(), side.t.get_trace(0)
    known = {i for i, s in enumerate(symbols) if s in kinds}
    names |= {symbols[n] for n in table.loc[table["cat"].isin(known), "name"].unique()}
steps = [sorted(s.iterations())[1] for s in sides]
diff = TraceDiff.ops_diff(*sides, control_rank=0, test_rank=0, control_iteration=steps[0], test_iteration=steps[1], device_type=DeviceType.CPU)
out["diff"] = {"steps": steps, **{k: sorted(set(v) & names) for k, v in diff.items()}}
json.dump(out, sys.stdout, indent=1)
