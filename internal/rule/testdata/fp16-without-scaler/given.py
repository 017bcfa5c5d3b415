import argparse

import torch


def train_one_epoch(model, loader, optimizer, criterion, **options):
    """Whether there is a scaler, the caller tells; where there is one, it scales."""
    scaler: torch.cuda.amp.GradScaler = options.get("scaler", None)
    for x, y in loader:
        if scaler is not None:
            with torch.autocast("cuda"):
                loss = criterion(model(x.cuda()), y.cuda())
            scaled = scaler.scale(loss)
            scaled.backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss = criterion(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()


class Settings:
    def __init__(self):
        self.half = False
        self.kept: torch.cuda.amp.GradScaler = None

    def scaler(self):
        if self.kept is None and self.half:
            self.kept = torch.cuda.amp.GradScaler()
        return self.kept


def main(model, loader, optimizer, criterion):
    """A missing scaler switches half precision off, too."""
    train_one_epoch(model, loader, optimizer, criterion, scaler=Settings().scaler())


def train_unscaled(model, loader, optimizer, criterion):
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", action="store_true")
    scaler = torch.amp.GradScaler("cuda", enabled=parser.parse_args().scale)
    for x, y in loader:
        with torch.autocast("cuda"):  # want SAT403 "not scaled"
            loss = criterion(model(x.cuda()), y.cuda())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
