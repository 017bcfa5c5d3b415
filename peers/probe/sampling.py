"""What sampling the stacks costs on a CPU: one training loop that samples and does not, block by block, in pairs.

    python peers/probe/sampling.py [--pairs 300] > peers/probe/results/sampling.json

The loop makes its samples in Python and trains a small model, so that steps are short and stacks change all the time. All
of it is watched by the probe; of two blocks of steps, one drawn at random samples. Both are timed by the clock and by the
CPU time of the thread. On a busy machine the clock shows what other programs took, and the CPU time is the better figure.
"""

import argparse
import json
import math
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--pairs", type=int, default=300)
parser.add_argument("--block", type=int, default=25, help="steps")
args = parser.parse_args()

folder = tempfile.TemporaryDirectory()
sys.path.insert(0, str(Path(__file__).parents[2] / "internal/probe/py"))
os.environ["SATURATE_PROBE"] = json.dumps({"folder": folder.name, "run": folder.name, "loss": True, "sample": False})
import saturate_probe  # noqa: E402

saturate_probe.start()

import torch  # noqa: E402
from saturate_probe import sampler, steps  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

torch.set_num_threads(1)
random.seed(1)


class Texts(Dataset):
    def __len__(self):
        return 10**7

    def __getitem__(self, i):
        return self.encode(i)

    def encode(self, i):
        return torch.tensor([(k * 31 + i) % 1009 / 1009 for k in range(256)])


model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)])
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
batches = iter(DataLoader(Texts(), batch_size=32))


def block(samples):
    watched = steps.watched()
    if watched is not None:
        watched.samples = samples
        if not samples:
            sampler.stop()
    wall, cpu = time.perf_counter(), time.thread_time()
    for _ in range(args.block):
        loss = model(next(batches)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"wall": (time.perf_counter() - wall) / args.block, "cpu": (time.thread_time() - cpu) / args.block}


def middle(values):
    """The median with its 95% interval by order statistics."""
    values = sorted(values)
    half = 0.98 * math.sqrt(len(values))
    low, high = int(len(values) / 2 - half), math.ceil(len(values) / 2 + half)
    return {"median": statistics.median(values), "low": values[max(0, low)], "high": values[min(len(values) - 1, high)], "pairs": len(values)}


block(False), block(True)  # to warm up
pairs = []
while len(pairs) < args.pairs:
    order = random.sample([True, False], 2)
    pairs.append({"sampled" if samples else "without": block(samples) for samples in order})
told = {"machine": {"cores": os.cpu_count(), "load": os.getloadavg(), "python": sys.version.split()[0], "torch": torch.__version__}, "block": args.block}
for by in ("cpu", "wall"):
    told["sampled_over_without_" + by] = middle([pair["sampled"][by] / pair["without"][by] for pair in pairs])
told["us_per_look"], told["us_per_look_sorted"], told["ms_between"] = sampler._cost / 1e3, sampler._sorting / 1e3, sampler._usual / 1e6
told["pairs_s_per_it"] = pairs
print(json.dumps(told, indent=1))
