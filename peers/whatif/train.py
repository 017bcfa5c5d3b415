"""Seven training programs with the usual mistakes, and the repairs that saturate predicts, one switch each.

    train.py PROGRAM [--repairs loader=8,precision=bf16] [--steps N]     trains, for `saturate profile`
    train.py all --round 1 --out FILE [--until SECONDS]                  measures every variant of every program without a profiler
"""

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
WHISPER = Path(__file__).resolve().parents[2] / "examples" / "whisper-tts"

# --- models and data ----------------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.before(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.after(x))))


class GPT(nn.Module):
    def __init__(self, width, layers, heads, length, vocabulary=8192):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, targets):
        x = self.token(tokens) + self.position.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.one, self.two = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.n1, self.n2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1, stride, bias=False) if stride > 1 or inputs != outputs else nn.Identity()

    def forward(self, x):
        return F.relu(self.n2(self.two(F.relu(self.n1(self.one(x))))) + self.skip(x))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
        strides = [1, 1, 2, 1, 2, 1, 2, 1]
        self.stem = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.layers = nn.Sequential(*[Residual(a, b, s) for a, b, s in zip(widths, widths[1:], strides)])
        self.head = nn.Linear(512, 100)

    def forward(self, images, labels):
        x = self.layers(F.max_pool2d(F.relu(self.stem(images)), 2))
        return F.cross_entropy(self.head(x.mean((2, 3))).float(), labels)


class Images(Dataset):
    """Pictures that are cropped, flipped, coloured and normalised when they are asked for."""

    def __init__(self, count=512):
        self.raw = np.random.default_rng(1).integers(0, 255, (64, 288, 288, 3), dtype=np.uint8)
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        draw = np.random.default_rng(index)
        y, x = draw.integers(0, 64, 2)
        image = self.raw[index % 64, y : y + 224, x : x + 224].astype(np.float32) / 255
        image = image * draw.uniform(0.8, 1.2, 3).astype(np.float32)
        image = (image - 0.45) / 0.22
        return torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1))), index % 100


class Kept(Dataset):
    """Samples that were made beforehand."""

    def __init__(self, dataset, count):
        self.samples = [dataset[i] for i in range(count)]

    def __len__(self):
        return 64 * len(self.samples)

    def __getitem__(self, index):
        return self.samples[index % len(self.samples)]


def whisper():
    sys.path.insert(0, str(WHISPER))
    import yaml
    from dataset import SpokenTexts, collate, load_tokenizer
    from train_whisper import build_model

    config = yaml.safe_load((WHISPER / "config.yaml").read_text())
    size = config["sizes"]["small"] if DEVICE == "cuda" else config["sizes"]["tiny"]
    tokenizer = load_tokenizer(WHISPER / config["tokenizer"])
    texts = (WHISPER / config["texts"]).read_text().splitlines()
    dataset = SpokenTexts(texts, tokenizer, config["voice"], size["mel_bins"], size["clip_seconds"])
    model = build_model(size, tokenizer)

    def loss(model, batch):
        return model(input_features=batch["input_features"], labels=batch["labels"]).loss

    return model, dataset, size["batch_size"], collate, loss


def gpt(width, layers, heads, length, batch):
    tokens = torch.randint(0, 8192, (4096, length + 1), generator=torch.Generator().manual_seed(2))
    model = GPT(width, layers, heads, length)
    return model, TensorDataset(tokens), batch, None, lambda model, b: model(b[0][:, :-1], b[0][:, 1:])


class Patches(nn.Module):
    """A vision transformer: patches, blocks, the mean of all tokens."""

    def __init__(self, width=512, layers=8, heads=8):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 16, 16)
        self.place = nn.Parameter(torch.zeros(196, width))
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, 100)

    def forward(self, images, labels):
        x = self.patch(images).flatten(2).transpose(1, 2) + self.place
        return F.cross_entropy(self.head(self.blocks(x).mean(1)).float(), labels)


class Waves(Dataset):
    """Five seconds of sound: a tone with noise, made when it is asked for."""

    def __len__(self):
        return 2048

    def __getitem__(self, index):
        draw = np.random.default_rng(index)
        seconds = np.arange(80_000, dtype=np.float32) / 16_000
        wave = np.sin(2 * np.pi * float(draw.uniform(80, 400)) * seconds) + 0.05 * draw.standard_normal(80_000, dtype=np.float32)
        return torch.from_numpy(wave.astype(np.float32)), index % 40


class Listener(nn.Module):
    """Strided convolutions over the wave, a recurrent layer, one label."""

    def __init__(self):
        super().__init__()
        widths, strides = [1, 128, 256, 256, 512], [5, 4, 4, 2]
        self.convolutions = nn.ModuleList(nn.Conv1d(a, b, 2 * s + 1, s, s) for a, b, s in zip(widths, widths[1:], strides))
        self.recurrent = nn.GRU(512, 512, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(1024, 40)

    def forward(self, waves, labels):
        x = waves[:, None]
        for convolution in self.convolutions:
            x = F.gelu(convolution(x))
        x, _ = self.recurrent(x.transpose(1, 2))
        return F.cross_entropy(self.head(x.mean(1)).float(), labels)


class Mixer(nn.Module):
    """Many small layers over rows of a table."""

    def __init__(self, columns=64, width=192, layers=24):
        super().__init__()
        self.first = nn.Linear(columns, width)
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(layers))
        self.head = nn.Linear(width, 2)

    def forward(self, rows, labels):
        x = self.first(rows)
        for layer in self.layers:
            x = x + layer(x)
        return F.cross_entropy(self.head(x), labels)


def table():
    rows = torch.randn(1 << 16, 64, generator=torch.Generator().manual_seed(3))
    return Mixer(), TensorDataset(rows, (rows.sum(1) > 0).long()), 256, None, lambda model, b: model(b[0], b[1])


PROGRAMS = {
    # name: what it makes, how its optimizer updates, the repairs that are measured
    "whisper": (whisper, {}, ["loader=8", "loader=free", "precision=bf16", "loader=free,precision=bf16"]),
    "gpt": (
        lambda: gpt(768, 12, 12, 512, 8),
        {"foreach": False},
        ["precision=tf32", "precision=bf16", "optimizer=fused", "precision=bf16,optimizer=fused"],
    ),
    "small": (
        lambda: gpt(256, 8, 4, 128, 8),
        {"foreach": False},
        ["optimizer=fused", "optimizer=foreach", "launch=graphs", "sync=scalar"],
    ),
    "images": (
        lambda: (Classifier(), Images(), 64, None, lambda model, b: model(b[0], b[1])),
        {},
        ["loader=8", "loader=free", "copies=pinned", "loader=free,precision=bf16"],
    ),
    # The three below were written after the predictions were, and nothing was set by them.
    "patches": (
        lambda: (Patches(), Images(), 96, None, lambda model, b: model(b[0], b[1])),
        {"foreach": False},
        ["loader=6", "precision=bf16", "loader=free,precision=tf32", "loader=free,precision=bf16,optimizer=fused"],
    ),
    "waves": (
        lambda: (Listener(), Waves(), 32, None, lambda model, b: model(b[0], b[1])),
        {},
        ["loader=4", "loader=free", "precision=bf16", "loader=free,copies=pinned"],
    ),
    "table": (
        table,
        {"foreach": False},
        ["optimizer=fused", "optimizer=foreach", "launch=graphs", "loader=free", "loader=free,optimizer=fused"],
    ),
}

# --- the loop -----------------------------------------------------------------------------------------------------


def moved(batch, blocking):
    if isinstance(batch, dict):
        return {k: v.to(DEVICE, non_blocking=not blocking) for k, v in batch.items()}
    return [v.to(DEVICE, non_blocking=not blocking) for v in batch]


def endless(loader):
    while True:
        yield from loader


def train(program, repairs, more):
    """Trains while more(step) says so, and yields the loss of each step."""
    make, settings, _ = PROGRAMS[program]
    torch.manual_seed(0)
    model, dataset, size, collate, loss_of = make()
    model = model.to(DEVICE).train()
    torch.set_float32_matmul_precision("high" if repairs.get("precision") == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = True
    options = dict(settings)
    if repairs.get("optimizer") == "fused":
        options = {"fused": True}
    elif repairs.get("optimizer") == "foreach":
        options = {"foreach": True}
    if repairs.get("launch") == "graphs":
        options["capturable"] = True
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, **options)
    workers = 0
    if repairs.get("loader") == "free":
        dataset = Kept(dataset, 4 * size)
    elif "loader" in repairs:
        workers = int(repairs["loader"])
    pinned = repairs.get("copies") == "pinned"
    loader = DataLoader(
        dataset, size, shuffle=True, num_workers=workers, collate_fn=collate, drop_last=True, pin_memory=pinned,
        persistent_workers=workers > 0,
    )  # fmt: skip
    cast = torch.autocast(DEVICE, torch.bfloat16) if repairs.get("precision") == "bf16" else contextlib.nullcontext()
    read = repairs.get("sync") != "scalar"
    if repairs.get("launch") == "graphs":
        yield from graphed(model, optimizer, loader, loss_of, more)
        return
    step = 0
    batches = endless(loader)
    while more(step):
        batch = moved(next(batches), blocking=not pinned)
        optimizer.zero_grad()
        with cast:
            loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        step += 1
        yield loss.item() if read else loss
    if workers:
        batches.close()


def graphed(model, optimizer, loader, loss_of, more):
    """The same step, captured once as a CUDA graph and replayed."""
    batches = endless(loader)
    still = moved(next(batches), blocking=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            optimizer.zero_grad(set_to_none=True)
            loss_of(model, still).backward()
            optimizer.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        loss = loss_of(model, still)
        loss.backward()
        optimizer.step()
    step = 0
    while more(step):
        for old, new in zip(still, next(batches)):
            old.copy_(new)
        graph.replay()
        step += 1
        yield loss.item()


def parsed(text):
    return dict(word.split("=", 1) for word in text.split(",") if word)


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def measure(program, repairs, warm=4, least=6, most=40, seconds=2.5):
    """Seconds a step without a profiler, and of each step."""
    times, began = [], time.perf_counter()

    def more(step):
        if step <= warm:
            return True
        return len(times) < least or len(times) < most and sum(times) < seconds

    last = None
    for step, _ in enumerate(train(program, repairs, more)):
        if step < warm - 1:
            continue
        if step == warm - 1:
            synchronize()
            last = time.perf_counter()
            continue
        now = time.perf_counter()
        times.append(now - last)
        last = now
    before = time.perf_counter()
    synchronize()
    times[-1] += time.perf_counter() - before
    return {"step_s": sum(times) / len(times), "steps": len(times), "took_s": time.perf_counter() - began}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", choices=[*PROGRAMS, "all"])
    parser.add_argument("--repairs", default="")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--round", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--programs", nargs="*", choices=[*PROGRAMS], default=[*PROGRAMS], help="which of all")
    parser.add_argument("--until", type=float, default=float("inf"), help="begin no variant after this time, as time.time() counts")
    args = parser.parse_args()
    if args.program != "all":
        for step, loss in enumerate(train(args.program, parsed(args.repairs), lambda step: step < args.steps)):
            pass
        print(f"{args.program}: {step + 1} steps, loss {float(loss):.4f}")
        return
    for program in args.programs:
        variants = PROGRAMS[program][2]
        order = ["", *variants]
        shift = args.round % len(order)
        for repairs in order[shift:] + order[:shift]:
            if time.time() > args.until:
                print(f"no time left for {program} {repairs}", flush=True)
                continue
            try:
                row = {"program": program, "repairs": repairs, "round": args.round} | measure(program, parsed(repairs))
            except Exception as err:  # one variant that fails must not cost the others
                row = {"program": program, "repairs": repairs, "round": args.round, "error": f"{type(err).__name__}: {err}"}
            print(json.dumps(row), flush=True)
            with args.out.open("a") as f:
                f.write(json.dumps(row) + "\n")
            if DEVICE == "cuda":
                torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
