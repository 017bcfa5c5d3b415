"""What each mistake costs in a step, on this GPU: the same step with and without it, in blocks that alternate.

    python3 peers/scan/costs.py [--rounds 7] [--json FILE]

Five jobs: a ResNet-50 on images of 224 pixels, in bfloat16 and in float32, a GPT of 124 million parameters, a small
CNN whose steps the host limits, and a generator with its critic. Then the start of a loader's workers, and draws. Each mistake is measured alone (in a step that never waits) and, where that can matter, beside another wait
(a step that reads its loss). A figure is the median over the rounds of (block with it) / (block without it), and the
smallest and largest of them.
"""

import argparse
import json
import random
import statistics
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

GPU = torch.device("cuda")


class Bottleneck(nn.Module):
    def __init__(self, inside, width, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width),
        )
        same = stride == 1 and inside == 4 * width
        self.past = nn.Identity() if same else nn.Sequential(
            nn.Conv2d(inside, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        return F.relu(self.body(x) + self.past(x))


def resnet50():
    layers, inside = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
    for width, depth, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(depth):
            layers.append(Bottleneck(inside, width, stride if i == 0 else 1))
            inside = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.by_hand = False

    def forward(self, x):
        if self.by_hand:
            mean = x.mean(-1, keepdim=True)
            var = (x - mean).pow(2).mean(-1, keepdim=True)
            return self.weight * (x - mean) / torch.sqrt(var + 1e-5) + self.bias
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.by_hand = heads, False
        self.before, self.between = Norm(width), Norm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, mask):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.qkv(self.before(x)).split(c, 2))
        if self.by_hand:
            scores = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
            y = scores.masked_fill(mask, float("-inf")).softmax(-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.between(x))


class GPT(nn.Module):
    def __init__(self, width=768, heads=12, depth=12, words=50304, length=1024):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.last, self.head = Norm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).triu(1))

    def forward(self, ids):
        x = self.words(ids) + self.places.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.last(x))


def small_cnn():
    layers, inside = [], 3
    for width in (32, 64, 128, 128):
        layers += [nn.Conv2d(inside, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2)]
        inside = width
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10))


class Job:
    """A training step that can be run with any set of mistakes."""

    def __init__(self, name, model, batch, classes, optimizer, half):
        torch.manual_seed(0)
        self.name, self.half, self.classes = name, half, classes
        self.alone = ["optimizer fused"] if name.endswith("in float32") else ALONE
        self.model = model.to(GPU)
        self.average = [p.detach().clone() for p in self.model.parameters()]
        self.optimizers = {
            how: optimizer(self.model.parameters(), how) for how in ("foreach", "fused", "one by one")
        }
        self.pinned = [tuple(t.pin_memory() for t in batch()) for _ in range(4)]
        self.pageable = [tuple(t.clone() for t in pair) for pair in self.pinned]

    def step(self, i, on):
        source = self.pageable if "pageable copy" in on else self.pinned
        x, y = (t.to(GPU, non_blocking="pageable copy" not in on) for t in source[i % 4])
        if "channels_last" in on:
            x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.half and "float32" not in on):
            out = self.model(x)
            out = out.view(-1, out.shape[-1])
            y = y.view(-1)
            if "table from the host" in on:
                out[:8, 0] += torch.arange(8.0).to(GPU) * 0
            if "boolean index" in on:
                y = y[y >= 0]
            if "loop over the batch" in on:
                rows = range(min(64, len(y)))
                loss = sum(F.cross_entropy(out[r : r + 1], y[r : r + 1]) for r in rows) / len(rows)
            else:
                loss = F.cross_entropy(out, y)
        if "wait before backward" in on:
            loss.item()
        loss.backward()
        if "clip with a wait each" in on:
            for p in self.model.parameters():
                if p.grad.norm().item() > 1e9:
                    p.grad.mul_(0.5)
        if "clip by clip_grad_norm_" in on:
            nn.utils.clip_grad_norm_(self.model.parameters(), 1e9)
        how = next((h for h in ("fused", "one by one") if "optimizer " + h in on), "foreach")
        self.optimizers[how].step()
        self.optimizers[how].zero_grad(set_to_none="zeroed gradients" not in on)
        if "average one by one" in on:
            with torch.no_grad():
                for a, p in zip(self.average, self.model.parameters()):
                    a.mul_(0.999).add_(p, alpha=0.001)
        if "average by foreach" in on:
            with torch.no_grad():
                torch._foreach_lerp_(self.average, list(self.model.parameters()), 0.001)
        if "wait at the end" in on:
            loss.item()
        if "five waits at the end" in on:
            for _ in range(5):
                loss.item()
        if "empty_cache" in on:
            torch.cuda.empty_cache()

    def set(self, on):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = "no TF32" not in on
        torch.backends.cudnn.benchmark = "cudnn.benchmark off" not in on
        for m in self.model.modules():
            if hasattr(m, "by_hand"):
                m.by_hand = ("attention by hand" if isinstance(m, Block) else "LayerNorm by hand") in on
        if self.name != "gpt":  # which has no convolutions
            self.model.to(memory_format=torch.channels_last if "channels_last" in on else torch.contiguous_format)

    def block(self, on, steps):
        self.set(on)
        for i in range(3):
            self.step(i, on)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for i in range(steps):
            self.step(i, on)
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / steps


class Pair(Job):
    """A generator of images from images, as in CycleGAN, and a critic of patches: one step of each."""

    def __init__(self, size, count):
        torch.manual_seed(0)
        self.name, self.alone = "generator and critic", ["critic's update through the generator", "critic's weights in the generator's update", "the generator runs once"]
        around = lambda width: nn.Sequential(nn.Conv2d(width, width, 3, 1, 1), nn.InstanceNorm2d(width), nn.ReLU(True))
        down = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 4, 2, 1), nn.InstanceNorm2d(b), nn.LeakyReLU(0.2, True))
        self.generator = nn.Sequential(
            nn.Conv2d(3, 64, 7, 1, 3), nn.ReLU(True), down(64, 128), down(128, 256), *(around(256) for _ in range(18)),
            nn.ConvTranspose2d(256, 128, 4, 2, 1), nn.ReLU(True), nn.ConvTranspose2d(128, 64, 4, 2, 1), nn.ReLU(True), nn.Conv2d(64, 3, 7, 1, 3),
        ).to(GPU)
        self.critic = nn.Sequential(down(3, 64), down(64, 128), down(128, 256), nn.Conv2d(256, 1, 4, 1, 1)).to(GPU)
        self.model = nn.ModuleList([self.generator, self.critic])
        self.updates = [torch.optim.Adam(m.parameters(), 1e-6, fused=True) for m in self.model]
        self.images = torch.randn(2, count, 3, size, size, device=GPU)

    def step(self, i, on):
        make, judge = self.updates
        source, real = self.images
        with torch.autocast("cuda", torch.bfloat16):
            fake = made = self.generator(source)
            if "critic's update through the generator" not in on:
                fake = fake.detach()
            loss = F.softplus(-self.critic(real)).mean() + F.softplus(self.critic(fake)).mean()
        judge.zero_grad()
        loss.backward()
        judge.step()
        self.critic.requires_grad_("critic's weights in the generator's update" in on)
        with torch.autocast("cuda", torch.bfloat16):
            again = made if "the generator runs once" in on else self.generator(source)
            loss = F.softplus(-self.critic(again)).mean()
        make.zero_grad()
        loss.backward()
        make.step()
        self.critic.requires_grad_(True)


ALONE = [
    "wait at the end", "wait before backward", "pageable copy", "table from the host", "boolean index",
    "loop over the batch", "optimizer one by one", "optimizer fused", "zeroed gradients",
    "average one by one", "average by foreach", "clip with a wait each", "clip by clip_grad_norm_", "empty_cache",
]
# What another wait of the step hides: each of these is measured on top of "wait at the end".
BESIDE = ["five waits at the end", "wait before backward", "pageable copy", "table from the host", "boolean index"]


def sgd(parameters, how):
    return torch.optim.SGD(parameters, 1e-6, momentum=0.9, foreach=how == "foreach", fused=how == "fused")


def adamw(parameters, how):
    return torch.optim.AdamW(parameters, 1e-8, foreach=how == "foreach", fused=how == "fused")


def jobs():
    def images(n, size, classes):
        return lambda: (torch.randn(n, 3, size, size), torch.randint(classes, (n,)))

    def words():
        ids = torch.randint(50000, (8, 1024))
        return ids, ids.clone()

    yield Job("resnet50", resnet50(), images(64, 224, 1000), 1000, sgd, True), ("channels_last",), 20, ["cudnn.benchmark off", "float32", "float32 | no TF32"]
    yield Job("resnet50 in float32", resnet50(), images(64, 224, 1000), 1000, adamw, False), (), 15, ["cudnn.benchmark off", "channels_last", "no TF32"]
    yield Job("gpt", GPT(), words, 50304, adamw, True), (), 10, ["float32", "float32 | no TF32", "attention by hand", "LayerNorm by hand"]
    yield Job("small", small_cnn(), images(128, 32, 10), 10, adamw, False), (), 100, ["cudnn.benchmark off", "channels_last", "no TF32"]
    yield Pair(256, 4), (), 20, []


def measure(job, always, steps, own, rounds):
    base = frozenset(always)
    tries = [(name, base, base | frozenset(name.split(" | "))) for name in job.alone + own]
    waiting = base | {"wait at the end"}
    if job.alone is ALONE:
        tries += [(name + ", beside a wait", waiting, waiting | {name}) for name in BESIDE]
    if "channels_last" in always:
        tries.append(("default layout", base, base - {"channels_last"}))
    rows = {}
    for name, without, with_it in tries:
        job.block(with_it, 2)
        pairs = [(job.block(without, steps), job.block(with_it, steps)) for _ in range(rounds)]
        ratios = [b / a for a, b in pairs]
        rows[name] = {
            "without_ms": statistics.median(a for a, _ in pairs) * 1e3,
            "with_ms": statistics.median(b for _, b in pairs) * 1e3,
            "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
        }
        r = rows[name]
        print(f"{job.name:19} {name:38} {r['without_ms']:8.2f} {r['with_ms']:8.2f} ms  {r['ratio']:6.3f}  ({r['least']:.3f} to {r['most']:.3f})", flush=True)
    return rows


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, i):
        return i


def worker_starts(rounds):
    """Seconds an epoch takes longer when its workers start again, by the number of workers."""
    rows = {}
    for workers in (4, 8):
        lasting = torch.utils.data.DataLoader(Numbers(), 64, num_workers=workers, persistent_workers=True)
        again = torch.utils.data.DataLoader(Numbers(), 64, num_workers=workers)
        list(lasting)
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            list(lasting)
            between = time.perf_counter()
            list(again)
            seconds.append(time.perf_counter() - between - (between - start))
        rows[workers] = {"seconds": statistics.median(seconds), "least": min(seconds), "most": max(seconds)}
        print(f"{workers} workers start again: {rows[workers]['seconds']:.3f} s an epoch  ({min(seconds):.3f} to {max(seconds):.3f})", flush=True)
    return rows


def draws(rounds):
    """Milliseconds of one draw of 1024 numbers below n, on one thread."""
    rng, rows = np.random.default_rng(0), {}
    for n in (10_000, 160_000, 640_000):
        held = dict.fromkeys(range(n))
        ways = {
            "np.random.choice": lambda: np.random.choice(n, 1024, replace=False), "torch.randperm": lambda: torch.randperm(n)[:1024],
            "Generator.choice": lambda: rng.choice(n, 1024, replace=False), "random.sample(list(d))": lambda: random.sample(list(held), 1024),
        }
        for name, draw in ways.items():
            took = []
            for _ in range(rounds):
                start = time.perf_counter()
                draw()
                took.append((time.perf_counter() - start) * 1e3)
            rows[f"{name} of {n}"] = statistics.median(took)
            print(f"1024 of {n}: {name:24} {statistics.median(took):8.3f} ms", flush=True)
    return rows


def operations(rounds):
    """Milliseconds of operations on the GPU, and of what does the same with less."""
    rows, g = {}, torch.Generator(GPU).manual_seed(0)
    near, far = (torch.rand(*shape, device=GPU, generator=g) for shape in ((32, 2048, 512), (4096, 8192)))
    losses = torch.rand(32, 8732, device=GPU, generator=g)
    places = torch.arange(8732, device=GPU).expand(32, -1)
    codes, table = torch.randint(1024, (32, 1024), device=GPU, generator=g), torch.randn(1024, 256, device=GPU, generator=g)
    order = losses.argsort(dim=1)
    pairs = {
        "3 of 512 distances": (lambda: near.sort(dim=-1)[0][..., :3], lambda: near.topk(3, dim=-1, largest=False)[0]),
        "3 of 8192 distances": (lambda: far.sort(dim=-1)[0][..., :3], lambda: far.topk(3, dim=-1, largest=False)[0]),
        "inverse of an order": (lambda: order.sort(dim=1)[1], lambda: torch.empty_like(order).scatter_(1, order, places)),
        "rows of a table": (lambda: F.one_hot(codes, 1024).float() @ table, lambda: F.embedding(codes, table)),
    }
    for name, ways in pairs.items():
        assert torch.equal(*(way() for way in ways)), name
        rows[name] = []
        for way in ways:
            took = []
            for _ in range(rounds):
                torch.cuda.synchronize()
                start = time.perf_counter()
                for _ in range(50):
                    way()
                torch.cuda.synchronize()
                took.append((time.perf_counter() - start) / 50 * 1e3)
            rows[name].append(statistics.median(took))
        print(f"{name:24} {rows[name][0]:8.3f} ms, {rows[name][1]:8.3f} ms", flush=True)
    return rows


def keep(result, path):
    if path:
        with open(path, "w") as f:
            json.dump(result, f, indent=1)
            f.write("\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--only", help="the name of one job")
    args = parser.parse_args()
    result = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "rounds": args.rounds, "jobs": {}}
    result["worker_starts"] = worker_starts(args.rounds)
    result["draws_ms"] = draws(args.rounds)
    result["operations_ms"] = operations(args.rounds)
    for job, always, steps, own in jobs():
        if args.only not in (None, job.name):
            continue
        result["jobs"][job.name] = measure(job, always, steps, own, args.rounds)
        keep(result, args.json)
        del job
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
