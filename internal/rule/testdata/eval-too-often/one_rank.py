import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


@torch.no_grad()
def score(model, held):
    net = model.module.eval()
    right = 0
    for x, y in held:
        right += (net.head(x.cuda()).argmax(-1) == y.cuda()).sum()
    net.train()
    return right


def train(net, loader, held, optimizer):
    model = DistributedDataParallel(net.cuda(), device_ids=[0])
    rank = dist.get_rank()
    for step, (x, y) in enumerate(loader):
        model(x.cuda()).sum().backward()
        optimizer.step()
        if rank == 0:
            if step % 500 == 0:
                print(score(model, held))  # want SAT707 "one GPU evaluates every 500 steps while the others wait"
            if step % 5000 == 0:
                print(score(model, held))


def train_with_all(net, loader, held, optimizer):
    model = DistributedDataParallel(net.cuda(), device_ids=[0])
    for step, (x, y) in enumerate(loader):
        model(x.cuda()).sum().backward()
        optimizer.step()
        if step % 500 == 0:
            print(score(model, held))
