import torch


def train(model, loader, optimizer, criterion, warmup):
    torch.cuda.synchronize()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            torch.cuda.synchronize()
        if step == warmup + 1:
            torch.cuda.synchronize()
    torch.cuda.synchronize()


def benchmark(model, x):
    for _ in range(100):
        model(x)
        torch.cuda.synchronize()
