"""Label maps that are renumbered one class at a time."""
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Streets(Dataset):
    def __init__(self, files, classes, colors):
        self.files, self.classes, self.colors = files, classes, colors
        self.table = np.zeros(256, np.uint8)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        labels = np.array(Image.open(self.files[i]))
        return torch.from_numpy(self.renumber(labels)), self.of_colors(labels), self.of_palette(labels) + self.of_named(labels), self.fine(labels)

    def renumber(self, labels):
        for old in self.classes:  # want SAT125 "labels is compared whole with each class"
            labels[labels == old] = self.classes[old]
        return labels

    def of_colors(self, picture):
        numbers = np.zeros(picture.shape[:2], np.int64)
        for n, color in enumerate(self.colors):  # want SAT125 "picture is compared whole with each class"
            numbers[np.all(picture == color, axis=-1)] = n
        return numbers

    def of_palette(self, picture):
        numbers = np.zeros(picture.shape[:2], np.int64)
        for n, color in enumerate(self.colors):  # want SAT125 "picture is compared whole with each class"
            numbers[(picture == np.array(color)).all(-1)] = n
        return numbers

    def of_named(self, picture):
        numbers = np.zeros(picture.shape[:2], np.int64)
        for color, n in self.classes.items():  # want SAT125 "picture is compared whole with each class"
            here = (picture == color).all(axis=-1)
            numbers[here] = n
        return numbers

    def fine(self, labels):
        for old in (254, 255):
            labels[labels == old] = 0
        out = self.table[labels]
        for n in self.classes:
            out[n] = 1
        return out


def train(model, files, classes, colors, optimizer):
    model.cuda()
    for epoch in range(10):
        for x, y, _, z in DataLoader(Streets(files, classes, colors), batch_size=4, num_workers=8, shuffle=True):
            model(x.cuda()).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
