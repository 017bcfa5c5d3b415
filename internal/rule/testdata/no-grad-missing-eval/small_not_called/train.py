import yaml
from torch import nn


class Config(dict):
    def __getattr__(self, name):
        return self[name]


def load(path):
    with open(path) as f:
        return Config(yaml.safe_load(f))


args = load("configs/a.yaml")


def validate(model, loader):
    model.eval()
    total = 0
    for x in loader:
        total += model(x.cuda(non_blocking=True)).mean().item()  # want SAT512 "it needs args.evaluate"
    return total


def train(model, loader, dev, optimizer):
    model.cuda()
    for epoch in range(args.epochs):
        model.train()
        for x in loader:
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
        if args.evaluate:
            validate(model, dev)
