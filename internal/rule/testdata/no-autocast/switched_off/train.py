import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
parser.add_argument("--scale", default=False, type=bool)
args = parser.parse_args()


def train(model, loader, optimizer):
    model = model.cuda()
    scaler = torch.amp.GradScaler("cuda", enabled=args.amp)
    for x in loader:
        with torch.autocast("cuda", enabled=args.amp):
            loss = model(x).mean()  # want SAT401 "mixed precision is switched off"
        scaler.scale(loss).backward()
        scaler.step(optimizer)


def train_scaled(model, loader, optimizer):
    model = model.cuda()
    scaler = torch.amp.GradScaler("cuda") if args.scale else None
    for x in loader:
        loss = model(x).mean()  # want SAT401 "mixed precision is switched off"
        if scaler is not None:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        optimizer.step()
