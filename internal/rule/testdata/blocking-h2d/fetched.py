"""Batches that the program makes itself, behind a base class, and copies."""
import torch


class Source:
    def fetch(self, count):
        raise NotImplementedError()


class Lines(Source):
    def __init__(self, path):
        self.file = open(path)

    def fetch(self, count):
        rows = [[int(w) for w in self.file.readline().split()] for _ in range(count)]
        return {"x": torch.tensor(rows), "y": torch.tensor(rows)}


class Ready(Source):
    def fetch(self, count):
        return {"x": torch.zeros(count, device="cuda"), "y": torch.zeros(count, device="cuda")}


def fetch(source: Source):
    data = source.fetch(64)
    return {k: v.cuda() for k, v in data.items()}  # want SAT311 "v.cuda.. waits for the copy"


def train(model, source: Source):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for step in range(1000):
        data = fetch(source)
        loss = model(data["x"], data["y"])
        loss.backward()
        optimizer.step()


def train_there(model):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters())
    ready = Ready()
    for step in range(1000):
        data = ready.fetch(64)
        loss = model(data["x"].cuda(), data["y"])
        loss.backward()
        optimizer.step()
