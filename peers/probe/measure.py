"""Pairs of runs with and without the probe, and profiles of the example and its tuned twin. Run by peers/probe/run."""

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLE, TUNED = "examples/whisper-tts/train.py", "examples/whisper-tts-tuned/train.py"
WARMUP = 10  # steps of each run that are left out: compiling, recording the graph
# Two-sided 95% quantiles of Student's t for 1 to 15 degrees of freedom.
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]

began = time.monotonic()


def say(*words):
    print("%5.0f s " % (time.monotonic() - began), *words, flush=True)


def run(command, timeout=240):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)


def kept(profile):
    """A profile without what is of one machine only: where it lay, and with which variables it ran."""
    run = dict(profile["run"])
    for key in ("id", "dir", "command"):
        run.pop(key, None)
    run["environment"] = {k: v for k, v in run.get("environment", {}).items() if k in ("machine", "gpus", "versions")}
    told = {k: profile[k] for k in ("verdict", "trace_verdict", "findings", "summary", "warnings") if k in profile}
    return {**told, "run": run}


def profile(args, name, options, program, steps, scratch):
    """A profile in JSON, cut to what a reader needs."""
    log = scratch / (name + ".jsonl")
    command = [args.saturate, "profile", "--format", "json", "--name", name, *options, "--"]
    command += [sys.executable, program, "--size", args.size, "--steps", str(steps), "--log-steps", str(log)]
    done = run(command)
    told = {"name": name, "steps": steps, "exit": done.returncode}
    try:
        told["profile"] = kept(json.loads(done.stdout))
    except ValueError:
        told["stdout"], told["stderr"] = done.stdout[-3000:], done.stderr[-3000:]
    if log.exists():
        told["own"] = summary(log)
    say(name, "exit", done.returncode, *told.get("profile", {}).get("summary", [])[:1])
    return told


def summary(log):
    """What the program itself says of its steps."""
    rows = [json.loads(line) for line in log.read_text().splitlines()][WARMUP:]
    times = [row["s"] for row in rows]
    return {"steps": len(times), "mean_s": statistics.fmean(times), "median_s": statistics.median(times), "times": times}


def once(args, probed, scratch):
    log = scratch / "steps.jsonl"
    log.unlink(missing_ok=True)
    command = [sys.executable, TUNED, "--size", args.size, "--steps", str(args.steps), "--log-steps", str(log)]
    if probed:
        command = [args.saturate, "profile", "--format", "json", "profiling:None", "--", *command]
    done = run(command)
    if done.returncode:
        raise SystemExit("%s failed:\n%s" % (" ".join(command), done.stderr[-3000:]))
    told = summary(log)
    wall = re.search(r"([0-9.]+) s/it", done.stdout + done.stderr)
    told["wall_s_per_it"] = float(wall.group(1)) if wall else None
    if probed:
        seen = json.loads(done.stdout)
        told["probe"] = {"steps": seen["run"]["step_count"], "s_per_it": seen["run"]["s_per_it"], "notes": seen["run"]["notes"]}
        told["probe"]["parts"] = seen["run"]["parts"]
    return told


def interval(pairs, key):
    """The geometric mean of with / without, and its 95% interval."""
    logs = [math.log(p["with"][key] / p["without"][key]) for p in pairs if p["with"][key] and p["without"][key]]
    if len(logs) < 2:
        return None
    middle = statistics.fmean(logs)
    half = T95[min(len(logs) - 2, len(T95) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return {"pairs": len(logs), "ratio": math.exp(middle), "low": math.exp(middle - half), "high": math.exp(middle + half)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--saturate", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=280, help="of all of it")
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--size", default="small")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random.seed(args.seed)
    scratch = Path(tempfile.mkdtemp())
    os.environ["SATURATE_RUNS"] = str(scratch / "runs")
    result = {"size": args.size, "steps": args.steps, "profiles": [], "pairs": []}

    def save():
        (args.out / "probe.json").write_text(json.dumps(result, indent=1) + "\n")

    result["profiles"].append(profile(args, "tuned", [], TUNED, 60, scratch))
    save()
    result["profiles"].append(profile(args, "example", ["--steps", "30"], EXAMPLE, 30, scratch))
    save()
    longest = 0.0
    while len(result["pairs"]) < 12 and (len(result["pairs"]) < 2 or time.monotonic() - began + 2.2 * longest < args.seconds):
        pair = {}
        for which in random.sample(["with", "without"], 2):
            start = time.monotonic()
            pair[which] = once(args, which == "with", scratch)
            longest = max(longest, time.monotonic() - start)
        result["pairs"].append(pair)
        result["overhead"] = {key: interval(result["pairs"], key) for key in ("mean_s", "median_s", "wall_s_per_it")}
        save()
        say("pair %d: " % len(result["pairs"]), *("%s %.5f s" % (k, pair[k]["mean_s"]) for k in ("without", "with")))
    for key, value in result["overhead"].items():
        if value:
            say("with / without, %s: %.4f (95%% interval %.4f to %.4f, %d pairs)" % (key, value["ratio"], value["low"], value["high"], value["pairs"]))


if __name__ == "__main__":
    main()
