def train(model, loader, optimizer, k):
    for i, x in enumerate(loader):
        model(x.cuda()).sum().backward()
        if (i + 1) % k == 0:
            optimizer.step()
