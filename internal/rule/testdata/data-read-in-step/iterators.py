"""Iterators of the project that read in the process that trains: by __next__, by __iter__, by a method that yields."""

import cv2
import numpy as np
import soundfile
import torch
from PIL import Image


class Batches:
    def __init__(self, names, size):
        self.names, self.size = names, size

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at >= len(self.names):
            raise StopIteration
        part = self.names[self.at : self.at + self.size]
        self.at += self.size
        return self.prepare(part)

    def prepare(self, part):
        images = []
        for name in part:
            im = cv2.imread(name)  # want SAT127 "cv2.imread runs in an iterator that the training loop goes over"
            images.append(torch.from_numpy(im).float())
        return torch.stack(images)


class Stream:
    def __init__(self, names, size):
        self.names, self.size = names, size

    def __iter__(self):
        batch = []
        for name in self.names:
            batch.append(torch.from_numpy(soundfile.read(name)[0]))  # want SAT127 "soundfile.read runs in a generator that the training"
            if len(batch) == self.size:
                yield torch.stack(batch)
                batch = []


class Pictures:
    def __init__(self, names, size):
        self.names, self.size = names, size

    def one(self, name):
        return np.asarray(Image.open(name).convert("RGB"))  # want SAT127 "Image.open runs in a generator that the training"

    def batches(self):
        for i in range(0, len(self.names), self.size):
            yield torch.from_numpy(np.stack([self.one(n) for n in self.names[i : i + self.size]])).float()


def fit(model, optimizer, x):
    optimizer.zero_grad()
    loss = model(x.cuda()).mean()
    loss.backward()
    optimizer.step()


def train(names, model, optimizer):
    data, stream, pictures = Batches(names, 32), Stream(names, 32), Pictures(names, 32)
    for epoch in range(10):
        for i, x in enumerate(iter(data)):
            fit(model, optimizer, x)
        for x in stream:
            fit(model, optimizer, x)
        for x in pictures.batches():
            fit(model, optimizer, x)
