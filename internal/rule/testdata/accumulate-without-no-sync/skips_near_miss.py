import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def train(net, loader, opt, rank, every=100):
    net = DDP(net.cuda(rank), device_ids=[rank])
    for step, x in enumerate(loader):
        loss = net(x).sum()
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
        if step % every:
            continue
        print(step)
