"""TraceLens' rates that a test compares with, as JSON, from the tables that its report writes.

    pip install ./TraceLens   # github.com/AMD-AGI/TraceLens, 171dd747; not the package of that name on PyPI
    TraceLens_generate_perf_report_pytorch --profile_json_path testdata/traces/fixed.pt.trace.json.gz --output_csvs_dir OUT
    python peers/ranks/tracelens_values.py OUT > internal/analyze/testdata/tracelens_values.json
"""
import ast
import csv
import json
import os
import sys

out = []
for table in ["GEMM", "CONV_fwd", "CONV_bwd", "SDPA_fwd"]:
    groups = {}  # TraceLens tells strides apart, too
    for row in csv.DictReader(open(os.path.join(sys.argv[1], table + ".csv"))):
        shapes = [list(d) for d in ast.literal_eval(row["Input Dims_first"]) if d]
        groups.setdefault((row["name"], json.dumps(shapes), row["GFLOPS_first"]), []).append(row)
    for (name, shapes, gflop), rows in groups.items():
        count = sum(int(float(r["name_count"])) for r in rows)
        mean = sum(float(r["TFLOPS/s_mean"]) * float(r["name_count"]) for r in rows) / count
        out.append({"operator": name, "shapes": json.loads(shapes), "count": count, "gflop": float(gflop), "mean_tflop_per_s": mean})
print("[\n " + ",\n ".join(json.dumps(r) for r in out) + "\n]")
