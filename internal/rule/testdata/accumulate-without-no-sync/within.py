from torch.nn.parallel import DistributedDataParallel as DDP


def train(model, draw, optimizer, rank, parts):
    model = DDP(model.cuda(rank), device_ids=[rank])
    for it in range(100000):
        for _ in range(parts):
            loss = model(draw()).sum() / parts
            loss.backward()  # want SAT602 "synchronized in every step"
        optimizer.step()
        optimizer.zero_grad()


def chunks(model, loader, optimizer, scaler):
    model = DDP(model)
    for x in loader:
        for part in x.cuda().chunk(4):
            scaler.scale(model(part).sum()).backward()  # want SAT602 "synchronized in every step"
        scaler.step(optimizer)
        scaler.update()


def once(model, draw, optimizer):
    model = DDP(model)
    for it in range(100000):
        for _ in range(1):
            model(draw()).sum().backward()
        optimizer.step()


def each(model, loader, optimizer):
    model = DDP(model)
    for epoch in range(10):
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
        print(epoch)
