"""What pinned memory saves in a step, by the size of a batch and the number of workers, on this GPU.

    python3 peers/scan/costs_pins.py [--rounds 7] [--json FILE]

A loader over samples in memory, copied to the GPU in each step, with and without pin_memory=True (and then with
non_blocking=True as well), in epochs that alternate; the step waits for its loss, or never. A figure is the median over the rounds
of (epoch from pageable memory) / (epoch from pinned memory), and the smallest and largest of them.
"""

import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

from costs import GPU, GPT, keep, resnet50, small_cnn


class Samples(torch.utils.data.Dataset):
    def __init__(self, x, y, length):
        self.x, self.y, self.length = x, y, length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        return self.x[i % len(self.x)], self.y[i % len(self.y)]


def jobs():
    def mlp():
        return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))

    ids = torch.randint(50000, (64, 1024))
    yield "64 numbers", mlp(), torch.randn(4096, 64), torch.randint(10, (4096,)), 128, 200
    yield "1024 words", GPT(), ids, ids, 8, 15
    yield "32 pixels", small_cnn(), torch.randn(4096, 3, 32, 32), torch.randint(10, (4096,)), 128, 100
    yield "224 pixels", resnet50().to(memory_format=torch.channels_last), torch.randn(256, 3, 224, 224), torch.randint(1000, (256,)), 64, 20


def epoch(model, optimizer, loader, ahead, waits):
    torch.cuda.synchronize()
    start, total = time.perf_counter(), 0.0
    for x, y in loader:
        x, y = x.to(GPU, non_blocking=ahead), y.to(GPU, non_blocking=ahead)
        with torch.autocast("cuda", torch.bfloat16):
            out = model(x)
            loss = F.cross_entropy(out.flatten(0, -2), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if waits:
            total += loss.item()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    args = parser.parse_args()
    result = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "rounds": args.rounds, "jobs": {}}
    for name, model, x, y, batch, steps in jobs():
        model = model.to(GPU)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-8, fused=True)
        rows = result["jobs"][name] = {}
        for workers in (0, 4):
            loaders = [
                torch.utils.data.DataLoader(
                    Samples(x, y, batch * steps), batch, num_workers=workers, pin_memory=pin, persistent_workers=workers > 0)
                for pin in (False, True)
            ]
            for waits in (True, False):
                ways = [(loaders[0], False), (loaders[1], False), (loaders[1], True)]
                took = [[] for _ in ways]
                for _ in range(args.rounds + 1):
                    for i, (loader, ahead) in enumerate(ways):
                        took[i].append(epoch(model, optimizer, loader, ahead, waits) / steps * 1e3)
                took = [t[1:] for t in took]
                for i, how in ((1, "pinned"), (2, "pinned and non_blocking")):
                    ratios = [a / b for a, b in zip(took[0], took[i])]
                    label = f"{workers} workers, {'a wait in each step' if waits else 'no wait'}: {how}"
                    rows[label] = {
                        "pageable_ms": statistics.median(took[0]), "pinned_ms": statistics.median(took[i]),
                        "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
                    }
                    r = rows[label]
                    print(f"{name:12} {label:58} {r['pageable_ms']:8.2f} {r['pinned_ms']:8.2f} ms  {r['ratio']:6.3f}  ({r['least']:.3f} to {r['most']:.3f})", flush=True)
        keep(result, args.json)
        del model, optimizer
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
