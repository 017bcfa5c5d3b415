"""What the fingerprints of samples cost: pairs of runs of one program, with them and without, in random order.

    python peers/probe/fingerprints.py cpu [--pairs 6]        a small loop on the CPU
    python peers/probe/fingerprints.py tuned [--pairs 6]      examples/whisper-tts-tuned, on a GPU

Both runs are watched by the probe. `verify` and `optimize` take fingerprints in a short run of their own, so no measured
step pays for them: `look` is what such a run of 13 steps takes beside one without fingerprints, from start to end, and
`step` is what a step takes longer in it. Prints JSON; --out keeps it after each pair.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
WARMUP = 8
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201]

CPU = """
import json, sys, time
import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)

class Clips(Dataset):
    def __len__(self):
        return 10**6

    def __getitem__(self, i):
        return torch.sin(torch.arange(80 * 300) * (i % 97 / 97)).reshape(80, 300), i % 10

model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(80 * 300, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
log, last = open(sys.argv[1], "w"), time.perf_counter()
loader = DataLoader(Clips(), batch_size=16)
for step, (x, y) in enumerate(batch for epoch in range(1000) for batch in loader):
    if step == int(sys.argv[2]):
        break
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    now = time.perf_counter()
    log.write(json.dumps({"s": now - last}) + "\\n")
    log.flush()
    last = now
"""

parser = argparse.ArgumentParser()
parser.add_argument("program", choices=("cpu", "tuned"))
parser.add_argument("--pairs", type=int, default=6)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--size", default="small")
parser.add_argument("--out", type=Path)
parser.add_argument("--no-look", action="store_true", help="leave out the runs of 13 steps")
args = parser.parse_args()
random.seed(1)
folder = tempfile.TemporaryDirectory()
scratch = Path(folder.name)
(scratch / "cpu.py").write_text(CPU)


def run(fingerprints, steps, stop):
    folder, log = Path(tempfile.mkdtemp(dir=scratch)), scratch / "steps.jsonl"
    log.unlink(missing_ok=True)
    (folder / "room").touch()
    settings = {"folder": str(folder), "run": str(folder), "loss": not fingerprints, "seed": 1}
    if stop:
        settings["steps"] = steps
    if fingerprints:  # epochs are cut short in a look; here they are not, so that both runs do the same
        settings["samples"] = {"seed": 1, "epoch": 6 if stop else 10**6, "batches": 60 if stop else 10**6}
    environ = {**os.environ, "SATURATE_PROBE": json.dumps(settings), "PYTHONPATH": str(HERE / "internal/probe/py")}
    command = [sys.executable, str(scratch / "cpu.py"), str(log), str(steps)]
    if args.program == "tuned":
        command = [sys.executable, str(HERE / "examples/whisper-tts-tuned/train.py"), "--size", args.size, "--steps", str(steps), "--log-steps", str(log)]
    start = time.monotonic()
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400)
    if done.returncode:
        raise SystemExit("%s failed:\n%s" % (" ".join(command), done.stdout[-3000:]))
    wall = time.monotonic() - start
    times = [json.loads(line)["s"] for line in log.read_text().splitlines()] if log.exists() else []  # some write it at their end
    told = sum('"kind":"sample"' in line for file in folder.glob("*.jsonl") for line in open(file))
    return {"wall_s": wall, "steps": len(times), "step_s": statistics.fmean(times[WARMUP:] or times or [math.nan]), "samples_told": told, "times": times}


def interval(pairs, key):
    logs = [math.log(p["with"][key] / p["without"][key]) for p in pairs]
    if len(logs) < 2:
        return None
    half = T95[min(len(logs) - 2, len(T95) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    middle = statistics.fmean(logs)
    return {"pairs": len(logs), "ratio": math.exp(middle), "low": math.exp(middle - half), "high": math.exp(middle + half)}


told = {"program": args.program, "machine": {"cores": os.cpu_count(), "load": os.getloadavg(), "python": sys.version.split()[0]}, "pairs": [], "looks": []}
run(False, 13, True)  # to warm up: files, compiled code
for _ in range(args.pairs):
    told["pairs"].append({which: run(which == "with", args.steps, False) for which in random.sample(["with", "without"], 2)})
    if not args.no_look:
        told["looks"].append({which: run(which == "with", 13, True) for which in random.sample(["with", "without"], 2)})
    told["step"], told["look"] = interval(told["pairs"], "step_s"), interval(told["looks"], "wall_s") if told["looks"] else None
    if args.out:
        args.out.write_text(json.dumps(told, indent=1) + "\n")
print(json.dumps({key: told[key] for key in ("program", "machine", "step", "look")}, indent=1))
