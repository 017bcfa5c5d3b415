"""Trains Whisper on sentences spoken by a synthetic voice."""

import argparse
import json
import time
from pathlib import Path

import torch
import yaml
from torch.utils.data import RandomSampler
from transformers import WhisperConfig, WhisperForConditionalGeneration

from dataset import PreparedClips, make_loader
from prepare import load_tokenizer, prepare
from replay import Replay

WARMUP = 5  # steps that the printed s/it leaves out


def parse_args():
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=here / "config.yaml")
    parser.add_argument("--size", choices=["tiny", "small"], default="tiny")
    parser.add_argument("--steps", type=int, help="default: training.steps of the config")
    parser.add_argument("--seed", type=int, help="default: seed of the config")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--precision", choices=["bf16", "fp32"], help="default: bf16 on a GPU, fp32 on a CPU")
    parser.add_argument("--eager", action="store_true", help="on a GPU, neither compile nor record the step")
    parser.add_argument("--cache", type=Path, default=here / "cache", help="where prepared clips are kept")
    parser.add_argument("--log-steps", type=Path, metavar="FILE", help="write one JSON line per step")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the trained model")
    return parser.parse_args()


def build_model(size, tokenizer):
    config = WhisperConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=size["mel_bins"],
        d_model=size["width"],
        encoder_layers=size["layers"],
        decoder_layers=size["layers"],
        encoder_attention_heads=size["heads"],
        decoder_attention_heads=size["heads"],
        encoder_ffn_dim=size["feed_forward"],
        decoder_ffn_dim=size["feed_forward"],
        max_source_positions=size["clip_seconds"] * 50,
        max_target_positions=128,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        decoder_start_token_id=tokenizer.bos_token_id,
        use_cache=False,
        attn_implementation="sdpa",
    )
    return WhisperForConditionalGeneration(config)


def epochs(loader):
    """Batches without end: the loader starts again when it is exhausted."""
    while True:
        yield from loader


class StepLog:
    """Losses and times of the steps, kept on the device and read without making the host wait for it."""

    def __init__(self, steps, device):
        self.device = device
        self.losses = torch.zeros(steps, device=device)
        self.samples = []
        self.marks = [self.mark()]
        self.pending = None

    def mark(self):
        if self.device.type != "cuda":
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def add(self, loss, samples):
        self.losses[len(self.samples)] = loss
        self.samples.append(samples)
        self.marks.append(self.mark())

    def earlier(self):
        """Starts copying the newest loss to the host; returns the step and loss of the copy before it."""
        done, step = self.pending, len(self.samples)
        self.pending = step, self.losses[step - 1].to("cpu", non_blocking=True), self.mark()
        if done and self.device.type == "cuda":
            done[2].synchronize()
        return done and (done[0], done[1].item())

    def rows(self):
        losses = self.losses.tolist()
        for i, samples in enumerate(self.samples):
            before, after = self.marks[i : i + 2]
            seconds = before.elapsed_time(after) / 1000 if self.device.type == "cuda" else after - before
            yield {"step": i + 1, "s": seconds, "loss": losses[i], "samples": samples}


def wait_for(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def main():
    args = parse_args()
    config = yaml.safe_load(args.config.read_text())
    size, training = config["sizes"][args.size], config["training"]
    steps = args.steps or training["steps"]
    seed = config["seed"] if args.seed is None else args.seed
    device = torch.device(args.device)
    gpu = device.type == "cuda"
    precision = args.precision or ("bf16" if gpu else "fp32")

    torch.manual_seed(seed)
    if "cpu_threads" in size:
        torch.set_num_threads(size["cpu_threads"])

    root = args.config.parent
    texts = (root / config["texts"]).read_text().splitlines()
    tokenizer = load_tokenizer(root / config["tokenizer"])
    dataset = PreparedClips(prepare(texts, tokenizer, config["voice"], size, args.cache))
    sampler = RandomSampler(dataset, generator=torch.Generator().manual_seed(seed))
    loader = make_loader(dataset, size["batch_size"], sampler, device)

    model = build_model(size, tokenizer).to(device)
    model.train()
    if precision == "bf16":
        torch.set_float32_matmul_precision("high")
    autocast = torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16", cache_enabled=False)
    rate = torch.zeros((), device=device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=rate, weight_decay=training["weight_decay"], fused=True, capturable=gpu
    )

    # Handed over ready-made: for a mask of its own the model looks for packed sequences, and waits for the device.
    width = dataset.labels.shape[1]
    causal = torch.ones(width, width, dtype=torch.bool, device=device).tril()[None, None]

    def train_step(features, labels):
        with autocast:
            loss = model(input_features=features.float(), labels=labels, decoder_attention_mask=causal).loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training["max_grad_norm"])
        optimizer.step()
        return loss.detach()

    run_step = train_step
    if gpu and not args.eager:
        torch.backends.cudnn.benchmark = True
        for layer in [*model.model.encoder.layers, *model.model.decoder.layers]:
            layer.compile(dynamic=False)
        run_step = Replay(train_step)
    parameters = sum(p.numel() for p in model.parameters())
    print(
        f"{len(texts)} texts, {parameters / 1e6:.1f}M parameters, batch {size['batch_size']}, {device}, {precision}",
        flush=True,
    )

    warmup = WARMUP if steps > WARMUP else min(1, steps - 1)
    batches = epochs(loader)
    log = StepLog(steps, device)
    for step in range(1, steps + 1):
        if step == warmup + 1:
            wait_for(device)
            began = time.perf_counter()
        batch = next(batches)
        rate.fill_(training["learning_rate"] * min(1.0, step / training["warmup_steps"]))
        loss = run_step(*(batch[name].to(device, non_blocking=True) for name in ("input_features", "labels")))
        log.add(loss, len(batch["labels"]))
        if step == 1 or step % training["log_every"] == 0:
            if seen := log.earlier():
                print(f"step {seen[0]:4d}/{steps}  loss {seen[1]:.4f}", flush=True)
    wait_for(device)
    seconds = time.perf_counter() - began

    rows = list(log.rows())
    print(f"step {steps:4d}/{steps}  loss {rows[-1]['loss']:.4f}")
    if args.log_steps:
        args.log_steps.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if args.save:
        model.save_pretrained(args.save)

    measured = rows[warmup:]
    samples = sum(row["samples"] for row in measured)
    print(f"{seconds / len(measured):.4f} s/it  {samples / seconds:.1f} samples/s  ({len(measured)} steps)")


if __name__ == "__main__":
    main()
