"""Trains Whisper on sentences spoken by a synthetic voice."""

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
import yaml
from torch.utils.data import DataLoader, RandomSampler
from transformers import WhisperConfig, WhisperForConditionalGeneration

from dataset import SpokenTexts, collate, load_tokenizer

WARMUP = 5  # steps that the printed s/it leaves out


def parse_args():
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=here / "config.yaml")
    parser.add_argument("--size", choices=["tiny", "small"], default="tiny")
    parser.add_argument("--steps", type=int, help="default: training.steps of the config")
    parser.add_argument("--seed", type=int, help="default: seed of the config")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
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
    )
    return WhisperForConditionalGeneration(config)


def epochs(loader):
    """Batches without end: the loader starts again when it is exhausted."""
    while True:
        yield from loader


def main():
    args = parse_args()
    config = yaml.safe_load(args.config.read_text())
    size, training = config["sizes"][args.size], config["training"]
    steps = args.steps or training["steps"]
    seed = config["seed"] if args.seed is None else args.seed
    device = torch.device(args.device)

    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if "cpu_threads" in size:
        torch.set_num_threads(size["cpu_threads"])

    root = args.config.parent
    texts = (root / config["texts"]).read_text().splitlines()
    tokenizer = load_tokenizer(root / config["tokenizer"])
    dataset = SpokenTexts(texts, tokenizer, config["voice"], size["mel_bins"], size["clip_seconds"])
    sampler = RandomSampler(dataset, generator=torch.Generator().manual_seed(seed))
    loader = DataLoader(
        dataset, batch_size=size["batch_size"], sampler=sampler, collate_fn=collate, drop_last=True
    )

    model = build_model(size, tokenizer).to(device)
    model.train()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=training["learning_rate"], weight_decay=training["weight_decay"]
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / training["warmup_steps"])
    )
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{len(texts)} texts, {parameters / 1e6:.1f}M parameters, batch {size['batch_size']}, {device}", flush=True)

    log = []
    batches = epochs(loader)
    clock = time.perf_counter()
    for step in range(1, steps + 1):
        batch = next(batches)
        features = batch["input_features"].to(device)
        labels = batch["labels"].to(device)

        loss = model(input_features=features, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), training["max_grad_norm"])
        optimizer.step()
        scheduler.step()

        value = loss.item()
        now = time.perf_counter()
        log.append({"step": step, "s": now - clock, "loss": value, "samples": len(labels)})
        clock = now
        if step == 1 or step % training["log_every"] == 0:
            print(f"step {step:4d}/{steps}  loss {value:.4f}  {log[-1]['s']:.3f} s", flush=True)

    if args.log_steps:
        args.log_steps.write_text("".join(json.dumps(row) + "\n" for row in log))
    if args.save:
        model.save_pretrained(args.save)

    measured = log[WARMUP:] or log[1:] or log
    seconds = sum(row["s"] for row in measured)
    samples = sum(row["samples"] for row in measured)
    print(f"{seconds / len(measured):.4f} s/it  {samples / seconds:.1f} samples/s  ({len(measured)} steps)")


if __name__ == "__main__":
    main()
