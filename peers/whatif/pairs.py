"""Puts predictions beside what was measured.

    pairs.py SATURATE FOLDER    FOLDER has measured.jsonl, and PROGRAM/ with the Run of `saturate profile` for each program

Prints JSON: for each pair the predicted and the measured step, the spread of the rounds and the error; then the median error, the
90th percentile, and how many pairs of repairs of a program are in the right order.
"""

import itertools
import json
import statistics
import subprocess
import sys
from pathlib import Path


def predicted(saturate, run, repairs):
    command = [saturate, "analyze", str(run), "--format", "json", "--what-if", repairs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if not done.stdout:
        return {"note": done.stderr.strip()[-500:]}, {}
    document = json.loads(done.stdout)
    return next((p for p in document["what_if"] if p.get("asked")), {}), document.get("what_if_from") or {}


def main():
    saturate, folder = sys.argv[1], Path(sys.argv[2])
    rows = [json.loads(line) for line in (folder / "measured.jsonl").read_text().splitlines()]
    times = {}
    for row in rows:
        if "step_s" in row:
            times.setdefault((row["program"], row["repairs"]), []).append(row["step_s"])
    pairs = []
    for (program, repairs), measured in times.items():
        run = next((p.parent for p in (folder / program).rglob("run.json")), None) if (folder / program).is_dir() else None
        if not repairs or run is None:
            continue
        p, start = predicted(saturate, run, repairs)
        truth = statistics.median(measured)
        pair = {
            "program": program, "repairs": repairs, "before_s": statistics.median(times.get((program, ""), [0])), "measured_s": truth,
            "measured_low_s": min(measured), "measured_high_s": max(measured), "rounds": len(measured),
            "profiled_from_s": start.get("step_ns", 0) / 1e9, "host_factor": start.get("host_factor"), "calibrated": p.get("calibrated"),
            "interval_s": [x / 1e9 for x in p.get("interval_ns", [0, 0])], "note": p.get("note", ""),
        }  # fmt: skip
        if p.get("step_ns"):
            # Machines and sittings differ: what the Run measured before the repair and what the rounds measured are two figures of one thing.
            ratio = p["step_ns"] / start["step_ns"]
            pair["predicted_s"] = p["step_ns"] / 1e9
            pair["error"] = p["step_ns"] / 1e9 / truth - 1
            pair["error_from_rounds"] = ratio * pair["before_s"] / truth - 1
            nearest = min(max(p["step_ns"] / 1e9, min(measured)), max(measured))
            pair["error_beyond_spread"] = p["step_ns"] / 1e9 / nearest - 1
        pairs.append(pair)
    known = [p for p in pairs if "error" in p]
    summary = {"pairs": len(pairs), "predicted": len(known)}
    for key in ("error", "error_beyond_spread", "error_from_rounds"):
        errors = sorted(abs(p[key]) for p in known)
        if errors:
            summary["median_" + key], summary["p90_" + key] = statistics.median(errors), errors[min(len(errors) - 1, int(0.9 * len(errors)))]
    right = total = 0
    for a, b in itertools.combinations(known, 2):
        if a["program"] == b["program"]:
            apart = a["measured_low_s"] > b["measured_high_s"] or b["measured_low_s"] > a["measured_high_s"]
            if apart:
                total += 1
                right += (a["predicted_s"] < b["predicted_s"]) == (a["measured_s"] < b["measured_s"])
    summary["order_right"], summary["order_of"] = right, total
    print(json.dumps({"summary": summary, "pairs": pairs}, indent=1))


if __name__ == "__main__":
    main()
