from torch.nn.parallel import DistributedDataParallel as DDP


def train(model, loader, optimizer, scheduler):
    model = DDP(model.cuda())
    for i, x in enumerate(loader):
        model(x).sum().backward()
        optimizer.step()
        if i % 10 == 0:
            scheduler.step()
