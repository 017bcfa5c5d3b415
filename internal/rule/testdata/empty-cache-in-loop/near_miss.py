import gc

import torch


def train(model, loader, optimizer, criterion, epochs):
    for epoch in range(epochs):
        for step, (x, y) in enumerate(loader):
            try:
                loss = criterion(model(x.cuda()), y.cuda())
                loss.backward()
                optimizer.step()
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                optimizer.zero_grad()
            if step % 500 == 0:
                torch.cuda.empty_cache()
        torch.cuda.empty_cache()
        gc.collect()


def evaluate(model, loader):
    for x in loader:
        model(x.cuda())
        torch.cuda.empty_cache()
