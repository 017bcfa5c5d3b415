from torch.nn.parallel import DistributedDataParallel as DDP


def train(model, loader, optimizer, rank, k):
    model = DDP(model.cuda(rank), device_ids=[rank])
    for i, x in enumerate(loader):
        loss = model(x).sum() / k
        loss.backward()  # want SAT602 "synchronized in every step"
        if (i + 1) % k == 0:
            optimizer.step()
            optimizer.zero_grad()


def scaled(model, loader, optimizer, scaler, args):
    model = DDP(model)
    for i, x in enumerate(loader):
        loss = model(x).sum()
        scaler.scale(loss).backward()  # want SAT602 "synchronized in every step"
        if (i + 1) % args.accumulation == 0 or i + 1 == len(loader):
            scaler.step(optimizer)
            scaler.update()
