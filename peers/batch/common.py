"""What the jobs share: a training loop with evaluations, a sweep over batch sizes, and a cap of the memory."""

import argparse
import json
import os
import time

import torch
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"


def options(batch):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=batch)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--sweep", default="")
    parser.add_argument("--fp32", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--finder", action="store_true")
    return parser.parse_args()


def cap():
    """The memory that the job may take: what the search was given. 1 GB of it is left to the CUDA context."""
    wanted = float(os.environ.get("CAP_BYTES") or 0)
    if wanted and device == "cuda":
        torch.cuda.set_per_process_memory_fraction((wanted - 1e9) / torch.cuda.get_device_properties(0).total_memory)


class Seeds(Dataset):
    """Samples whose data is made on the GPU: the loader is not to be the limit."""

    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        return index


def train(options, model, loss, dataset, collate=None):
    """loss(batch) gives the loss of a batch as the loader gives it."""
    cap()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=device == "cuda")

    def step(batch):
        with torch.autocast(device, torch.bfloat16, enabled=not options.fp32):
            value = loss(batch)
        value.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return value

    if options.sweep:
        return sweep(options, dataset, collate, step)
    loader = DataLoader(dataset, batch_size=options.batch, shuffle=True, drop_last=True, collate_fn=collate)
    valid = DataLoader(dataset, batch_size=options.batch, collate_fn=collate)
    done = 0
    while done < options.steps:
        model.train()
        for batch in loader:
            value = step(batch)
            done += 1
            if done >= options.steps or done % 50 == 0:
                break
        model.eval()
        with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=not options.fp32):
            for at, batch in enumerate(valid):
                loss(batch)
                if at == 2:
                    break
    told("ran %d steps of batch %d, loss %.3f" % (done, options.batch, value.item()), options.batch)


def told(text, batch):
    peak = {}
    if device == "cuda":
        peak = {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved(),
                "retries": torch.cuda.memory_stats().get("num_alloc_retries", 0)}
    print(json.dumps({"ran": text, "batch": batch, **peak}), flush=True)


def sweep(options, dataset, collate, step):
    """Samples/s of each batch size, the longest samples first where they differ."""
    for size in [int(word) for word in options.sweep.split(",")]:
        try:
            loader = iter(DataLoader(dataset, batch_size=size, shuffle=True, drop_last=True, collate_fn=collate))
            batch = next(loader)
            times = []
            for at in range(7):
                began = time.perf_counter()
                step(batch).item()
                times.append(time.perf_counter() - began)
            row = {"batch": size, "samples_per_s": size / sorted(times[2:])[2]}
            if device == "cuda":
                row.update(allocated=torch.cuda.max_memory_allocated(), reserved=torch.cuda.max_memory_reserved())
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            print(json.dumps(row), flush=True)
        except torch.OutOfMemoryError:
            print(json.dumps({"batch": size, "fault": "out of memory"}), flush=True)
            break
