"""HTA's figures over a folder of ranks, with its CPU seconds and peak memory, as JSON."""
import json
import resource
import sys
import time

import hta
from hta.trace_analysis import TraceAnalysis

began = time.time()
a = TraceAnalysis(trace_dir=sys.argv[1])
out = {"temporal": a.get_temporal_breakdown(visualize=False).to_dict("records"), "overlap": a.get_comm_comp_overlap(visualize=False).to_dict("records")}
kinds, kernels = a.get_gpu_kernel_breakdown(visualize=False)
out["kinds"] = kinds.to_dict("records")
queue = a.get_queue_length_summary().reset_index()
queue.columns = [" ".join(c).strip() if isinstance(c, tuple) else c for c in queue.columns]
out["queue"] = queue.to_dict("records")
use, kids = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
out["wall_s"], out["cpu_s"] = time.time() - began, use.ru_utime + use.ru_stime + kids.ru_utime + kids.ru_stime
out["max_rss_kb"], out["max_child_rss_kb"] = use.ru_maxrss, kids.ru_maxrss
json.dump(out, sys.stdout, default=str)
