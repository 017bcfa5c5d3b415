import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def train(model, data, optimizer, rank):
    dist.init_process_group("nccl")
    model = DDP(model.cuda(rank), device_ids=[rank])
    loader = DataLoader(data, batch_size=16, shuffle=True)  # want SAT607 "whole dataset"
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
