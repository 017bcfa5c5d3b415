"""What sampling the stacks costs on a CPU: interleaved triples of one loop without the probe, with it, and with sampling.

    python peers/probe/sampling.py [--rounds 12] [--steps 1500] > peers/probe/results/sampling.json

The loop makes its samples in Python and trains a small model, so that steps are short and stacks change all the time.
Each run times its own steps, by the clock and by the CPU time of the process; the order within a round is drawn at
random. On a busy machine the clock shows what other programs took, and the CPU time is the better figure.
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
from pathlib import Path

T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]
LOOP = """
import sys, time, torch
from torch.utils.data import DataLoader, Dataset
torch.set_num_threads(1)
torch.manual_seed(0)
class Texts(Dataset):
    def __len__(self): return 10**6
    def __getitem__(self, i): return self.encode(i)
    def encode(self, i):
        return torch.tensor([(k * 31 + i) % 1009 / 1009 for k in range(256)])
model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)])
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
steps = 0
for x in DataLoader(Texts(), batch_size=32):
    if steps == 100: began, cpu = time.perf_counter(), time.process_time()
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    steps += 1
    if steps == 100 + int(sys.argv[1]): break
print((time.perf_counter() - began) / int(sys.argv[1]), (time.process_time() - cpu) / int(sys.argv[1]))
"""


def once(mode, steps):
    environ = dict(os.environ, OMP_NUM_THREADS="1")
    with tempfile.TemporaryDirectory() as folder:
        if mode != "without":
            environ["PYTHONPATH"] = str(Path(__file__).parents[2] / "internal/probe/py")
            environ["SATURATE_PROBE"] = json.dumps({"folder": folder, "run": folder, "loss": True, "sample": mode == "sampled"})
        done = subprocess.run([sys.executable, "-c", LOOP, str(steps)], env=environ, stdout=subprocess.PIPE, text=True, check=True)
        looks = sum(line.count("kind") for path in Path(folder).glob("*.jsonl") for line in path.read_text().splitlines() if '"kind":"stacks"' in line)
    if (mode == "sampled") != (looks > 0):
        raise SystemExit("%s told of %d lines of stacks" % (mode, looks))
    wall, cpu = map(float, done.stdout.split())
    return {"wall": wall, "cpu": cpu}


def ratio(rounds, above, below, by):
    logs = [math.log(r[above][by] / r[below][by]) for r in rounds]
    middle = statistics.fmean(logs)
    half = T95[min(len(logs) - 2, len(T95) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return {"ratio": math.exp(middle), "low": math.exp(middle - half), "high": math.exp(middle + half), "pairs": len(logs)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=1500)
    args = parser.parse_args()
    random.seed(1)
    rounds = []
    for _ in range(args.rounds):
        rounds.append({mode: once(mode, args.steps) for mode in random.sample(["without", "probe", "sampled"], 3)})
        print(rounds[-1], file=sys.stderr, flush=True)
    told = {"steps": args.steps, "cores": os.cpu_count(), "load": os.getloadavg(), "python": sys.version.split()[0], "rounds_s_per_it": rounds}
    for by in ("cpu", "wall"):
        told["sampled_over_probe_" + by] = ratio(rounds, "sampled", "probe", by)
        told["sampled_over_without_" + by] = ratio(rounds, "sampled", "without", by)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
