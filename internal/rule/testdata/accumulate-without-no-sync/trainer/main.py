import torch
from torch.nn.parallel import DistributedDataParallel as DDP

from net import Net
from trainer import Trainer


def main(rank, loader):
    torch.distributed.init_process_group("nccl")
    model = DDP(Net().to(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    Trainer(model, optimizer, loader).train()
