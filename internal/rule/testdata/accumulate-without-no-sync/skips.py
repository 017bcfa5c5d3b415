import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def train(net, loader, opt, rank, accum=4):
    net = DDP(net.cuda(rank), device_ids=[rank])
    micro = 0
    for x in loader:
        loss = net(x).sum() / accum
        loss.backward()  # want SAT602 "synchronized in every step"
        micro += 1
        if micro % accum:
            continue
        opt.step()
        opt.zero_grad(set_to_none=True)
