from contextlib import nullcontext

from torch.nn.parallel import DistributedDataParallel as DDP


def train(model, loader, optimizer, k):
    model = DDP(model.cuda())
    for i, x in enumerate(loader):
        last = (i + 1) % k == 0
        with nullcontext() if last else model.no_sync():
            model(x).sum().backward()
        if (i + 1) % k == 0:
            optimizer.step()
