"""How many samples a second a training step takes, by the size of its batch, on this GPU.

    python3 peers/scan/costs_batches.py [--rounds 5] [--json FILE]

Batches of one network in turn, already on the GPU, in float32 as PyTorch ships it and under autocast to bfloat16, with Adam. A
figure is the median over the rounds of samples a second, divided by the largest of any batch of that network.
"""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

from costs import GPT, GPU, resnet50, small_cnn


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30000, 768)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(768, 12, 3072, 0.0, F.gelu, batch_first=True), 12)
        self.head = nn.Linear(768, 10)

    def forward(self, x):
        return self.head(self.body(self.embed(x))[:, 0])


class Unet(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        sizes = [width, 2 * width, 4 * width, 8 * width, 8 * width]

        def double(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, 1, 1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, 1, 1), nn.BatchNorm2d(b), nn.ReLU())

        self.down = nn.ModuleList(double(a, b) for a, b in zip([3, *sizes], sizes))
        self.up = nn.ModuleList(double(a + b, b) for a, b in zip(sizes[:0:-1], sizes[-2::-1]))
        self.head = nn.Conv2d(width, 10, 1)

    def forward(self, x):
        kept = []
        for d in self.down:
            x = d(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = kept.pop()
        for u in self.up:
            x = u(torch.cat([F.interpolate(x, scale_factor=2), kept.pop()], 1))
        return self.head(x).mean((2, 3))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.LSTM(80, 512, 3, batch_first=True), nn.Linear(512, 10)

    def forward(self, x):
        return self.head(self.body(x)[0][:, -1])


def mlp():
    return nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def jobs():
    yield "ResNet-50, 224 pixels", resnet50, lambda n: torch.randn(n, 3, 224, 224), [2, 4, 8, 16, 32, 64, 128, 256]
    yield "U-Net, 256 pixels", Unet, lambda n: torch.randn(n, 3, 256, 256), [1, 2, 4, 8, 16, 32, 64]
    yield "small CNN, 32 pixels", small_cnn, lambda n: torch.randn(n, 3, 32, 32), [16, 32, 64, 128, 256, 512, 1024, 4096]
    yield "GPT, 124 M, 1024 tokens", GPT, lambda n: torch.randint(50000, (n, 1024)), [1, 2, 4, 8, 16, 32]
    yield "BERT-base, 128 tokens", Bert, lambda n: torch.randint(30000, (n, 128)), [1, 2, 4, 8, 16, 32, 64, 128, 256]
    yield "LSTM of 3 layers, 200 steps", Lstm, lambda n: torch.randn(n, 200, 80), [4, 8, 16, 32, 64, 128, 256, 512]
    yield "MLP, 64 numbers", mlp, lambda n: torch.randn(n, 64), [32, 64, 128, 256, 1024, 4096, 16384]


def rate(model, optimizer, x, half):
    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=half):
            out = model(x)
            out = out.flatten(0, -2)
            loss = F.cross_entropy(out.float(), torch.zeros(len(out), dtype=torch.long, device=GPU))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    start, n = time.perf_counter(), 0
    while time.perf_counter() - start < 0.4 or n < 4:
        for _ in range(4):
            step()
        n += 4
        torch.cuda.synchronize()
    return n * len(x) / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    args = parser.parse_args()
    kept = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "rates": {}}
    for name, make, data, sizes in jobs():
        model = make().to(GPU)
        optimizer = torch.optim.Adam(model.parameters())
        for half in (False, True):
            rates = {n: [] for n in sizes}
            for _ in range(args.rounds):
                for n in sizes:
                    try:
                        rates[n].append(rate(model, optimizer, data(n).to(GPU), half))
                    except torch.cuda.OutOfMemoryError:
                        break
            label = name + (", bfloat16" if half else ", float32")
            kept["rates"][label] = rates
            median = {n: statistics.median(r) for n, r in rates.items() if r}
            most = max(median.values())
            print(label, "|", " ".join(f"{n}: {m / most:.2f}" for n, m in median.items()), f"| {most:.0f}/s", flush=True)
        del model, optimizer
        torch.cuda.empty_cache()
    if args.json:
        with open(args.json, "w") as f:
            json.dump(kept, f, indent=1)


if __name__ == "__main__":
    main()
