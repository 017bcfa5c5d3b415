import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def train(model, loader, optimizer, rank):
    dist.init_process_group("gloo", rank=rank)  # want SAT604 "through the host"
    model = DistributedDataParallel(model.cuda(rank))
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
