"""Iterators that load ahead in threads or workers, that read once, and one that only evaluation goes over."""

import queue
import threading

import cv2
import soundfile
import torch
from torch.utils.data import DataLoader, IterableDataset


class Ahead:
    def __init__(self, names):
        self.names, self.ready = names, queue.Queue(8)
        threading.Thread(target=self.fill, daemon=True).start()

    def fill(self):
        for name in self.names:
            self.ready.put(self.load(name))
        self.ready.put(None)

    def load(self, name):
        return torch.from_numpy(cv2.imread(name)).float()

    def __iter__(self):
        return self

    def __next__(self):
        x = self.ready.get()
        if x is None:
            raise StopIteration
        return x


class Stream(IterableDataset):
    def __init__(self, names):
        self.names = names

    def __iter__(self):
        for name in self.names:
            yield torch.from_numpy(soundfile.read(name)[0])


class Held:
    def __init__(self, names):
        self.rows = [torch.from_numpy(soundfile.read(name)[0]) for name in names]

    def __iter__(self):
        yield from self.rows


class Checks:
    def __init__(self, names):
        self.names = names

    def __iter__(self):
        for name in self.names:
            yield torch.from_numpy(soundfile.read(name)[0])


def fit(model, optimizer, x):
    optimizer.zero_grad()
    loss = model(x.cuda()).mean()
    loss.backward()
    optimizer.step()


def train(names, model, optimizer):
    held, checks = Held(names), Checks(names)
    loader = DataLoader(Stream(names), batch_size=8, num_workers=4, pin_memory=True)
    for epoch in range(10):
        for x in Ahead(names):
            fit(model, optimizer, x)
        for x in loader:
            fit(model, optimizer, x)
        for x in held:
            fit(model, optimizer, x)
        with torch.no_grad():
            for x in checks:
                model(x.cuda())
