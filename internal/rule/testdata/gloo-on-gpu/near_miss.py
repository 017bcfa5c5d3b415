import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, loader, optimizer, rank):
    if sys.platform == "win32":
        dist.init_process_group("gloo", rank=rank)
    else:
        dist.init_process_group("nccl", rank=rank)
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    model = DistributedDataParallel(model.cuda(rank))
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
