"""Trains a small model on gloo ranks on the CPU, with one rank made slow in a known way, and records each rank.

    torchrun --nproc-per-node 4 straggler.py OUT CAUSE RANK

CAUSE is none, loader, host, forward, backward, gc, checkpoint or samples. The traces go to OUT/rank-N.json.gz.
"""
import gc
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule

out, cause, slow = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
mine = rank == slow


def busy(seconds):
    """Computes with operators for about so long."""
    a = torch.randn(256, 256)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        a = torch.tanh(a @ a)
    return a


class SlowBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if mine and cause == "backward":
            busy(0.08)
        return grad


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*[torch.nn.Linear(128, 128) for _ in range(4)])

    def forward(self, x):
        x = self.layers[1](torch.relu(self.layers[0](x)))
        if mine and cause == "forward":
            busy(0.08)
        x = SlowBackward.apply(x)
        return self.layers[3](torch.relu(self.layers[2](x))).sum()


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        if mine and cause == "loader":
            time.sleep(0.01)
        return torch.full((128,), float(i % 7))


def log(loss):
    if mine and cause == "host":
        time.sleep(0.08)


model = DistributedDataParallel(Net())
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
batch = 400 if mine and cause == "samples" else 8
many = [[[]] for _ in range(400_000)] if mine and cause == "gc" else []
gc.disable()
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=2, active=5), with_stack=True, record_shapes=True,
             on_trace_ready=lambda p: p.export_chrome_trace(os.path.join(out, f"rank-{rank}.json.gz"))) as prof:
    for step, x in enumerate(torch.utils.data.DataLoader(Data(), batch_size=batch)):
        if step == 7:
            break
        if cause == "samples" and mine:
            x = x.repeat(40, 1)
        loss = model(x)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log(loss)
        if mine and cause == "gc":
            gc.collect()
        if mine and cause == "checkpoint" and step == 4:
            torch.save({"x": torch.zeros(60_000_000)}, os.path.join(out, "model.pt"))
        prof.step()
dist.destroy_process_group()
