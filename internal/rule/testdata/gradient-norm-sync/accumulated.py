"""Once for each update: after some batches, and after the last one."""
import torch
from torch.nn.parallel import DistributedDataParallel


def size_of(parameters, scale):
    total = 0.0
    for p in parameters:
        if p.grad is not None:
            own = (p.grad.detach() / scale).norm(2)
            total += own.item() ** 2  # want SAT315 "once per parameter"
    return total ** 0.5


def train(rank, net, batches, collect):
    net = DistributedDataParallel(net.to(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for at, batch in enumerate(batches):
        loss = net(batch).mean()
        loss.backward()
        if (at + 1) % collect == 0 or at == len(batches) - 1:
            size_of(net.parameters(), collect)
            optimizer.step()
            optimizer.zero_grad()
        if at % 500 == 0 or at == len(batches) - 1:
            size_of(net.module.parameters(), 2)
