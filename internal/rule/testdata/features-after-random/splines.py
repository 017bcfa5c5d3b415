import random

import numpy as np
import torch
from scipy.ndimage.interpolation import zoom
from torch.utils.data import DataLoader, Dataset


class RandomGenerator:
    def __init__(self, size):
        self.size = size

    def __call__(self, sample):
        image, label = sample
        if random.random() > 0.5:
            image = np.rot90(image, random.randint(0, 3))
        x, y = image.shape
        image = zoom(image, (self.size / x, self.size / y), order=3)  # want SAT126 "cubic splines"
        label = zoom(label, (self.size / x, self.size / y), order=0)
        return torch.from_numpy(image.copy()), torch.from_numpy(label)


class Nearest:
    def __call__(self, sample):
        image, label = sample
        if random.random() > 0.5:
            image = np.flip(image, 0)
        return zoom(image, 0.5, order=1), label  # cheap


class Slices(Dataset):
    def __init__(self, files, transform):
        self.files, self.transform = files, transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.transform(np.load(self.files[i]))


def train(model, files, optimizer):
    model.cuda()
    for data in (Slices(files, transform=RandomGenerator(224)), Slices(files, transform=Nearest())):
        for image, label in DataLoader(data, batch_size=8, num_workers=8):
            loss = model(image.cuda()).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
