import time

import torch


def train(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()

        torch.cuda.synchronize()  # want SAT307 "stops the host in every step"

        optimizer.zero_grad()


def train_timed(model, loader, optimizer, criterion):
    for x, y in loader:
        start = time.time()
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()  # want SAT307 "to measure time"
        print(time.time() - start)
