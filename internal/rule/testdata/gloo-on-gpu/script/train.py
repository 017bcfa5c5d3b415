import os

import torch
from torch.nn.parallel import DistributedDataParallel

os.environ["NCCL_SHM_DISABLE"] = "1"  # want SAT604 "through the network"
os.environ["NCCL_DEBUG"] = "WARN"
os.environ["NCCL_P2P_LEVEL"] = "NVL"


def train(model, loader, optimizer, rank):
    torch.distributed.init_process_group("nccl", rank=rank)
    model = DistributedDataParallel(model.cuda(rank))
    for x in loader:  # want SAT604 "go through the host"
        model(x.cuda()).sum().backward()
        optimizer.step()
