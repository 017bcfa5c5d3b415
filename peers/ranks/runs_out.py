"""Trains until the GPU's memory is used up, because every step's loss is kept with its graph, and saves torch's memory snapshot.

    python runs_out.py OUT.pickle [FRACTION]

FRACTION of the GPU's memory may be used. The lines that hold the memory are in Model.forward; the line that keeps them alive is in train.
"""
import json
import sys

import torch


class Model(torch.nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.first = torch.nn.Linear(width, 4 * width)
        self.second = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        hidden = torch.nn.functional.gelu(self.first(x))
        return self.second(hidden)


def batch():
    return torch.randn(4096, 1024, device="cuda")


def train(model, optimizer, steps):
    losses = []
    for step in range(steps):
        loss = model(batch()).square().mean()
        losses.append(loss)  # keeps the graph of every step
        if step % 50 == 49:
            torch.stack(losses).mean().backward()
            optimizer.step()
    return losses


def main():
    out = sys.argv[1]
    torch.cuda.set_per_process_memory_fraction(float(sys.argv[2]) if len(sys.argv) > 2 else 0.02)
    torch.cuda.memory._record_memory_history(max_entries=20_000, stacks="python")
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    try:
        train(model, optimizer, 1000)
    except torch.OutOfMemoryError as e:
        torch.cuda.memory._dump_snapshot(out)
        print(json.dumps({"error": str(e), "allocated": torch.cuda.memory_allocated(), "reserved": torch.cuda.memory_reserved(),
                          "peak": torch.cuda.max_memory_allocated(), "torch": torch.__version__}))
        return
    raise SystemExit("the memory was enough")


main()
