import logging
import math
import sys
import time

import torch


def train(model, loader, optimizer, criterion, args, rank):
    last = time.time()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"loss {loss}")
        if rank == 0 and step % args.log_every == 0:
            print("loss", loss)
        if args.debug:
            print(loss)
        if time.time() - last > 30:
            print("still alive", loss)
        if not math.isfinite(step):
            print("the loss is", loss)
            sys.exit(1)
        lost = (loss > 10).sum()
        if lost != 0:
            logging.warning(f"{lost} samples are lost")
        try:
            optimizer.step()
        except RuntimeError:
            print("out of memory at loss", loss)
        print("step", step, x.shape, len(y), x.size(0), x.device)
    print(loss)


def evaluate(model, loader):
    for x in loader:
        print(model(x.cuda()))


def train_in_range(model, loader, optimizer):
    for x in loader:
        out = model(x.cuda())
        if torch.max(out) > 1.0:
            print("max value is ", torch.max(out))
        out.mean().backward()
        optimizer.step()
