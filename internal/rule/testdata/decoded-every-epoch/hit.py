import glob
import os

import numpy as np
import torch
from PIL import Image
from skimage import io
from torch.utils.data import DataLoader, Dataset


def photo(path):
    return torch.from_numpy(np.asarray(Image.open(path).convert("RGB")))  # want SAT135 "several images"


class Rooms(Dataset):
    def __init__(self, folder):
        self.rooms = sorted(os.listdir(folder))
        self.folder = folder

    def __len__(self):
        return len(self.rooms)

    def read(self, room):
        return [io.imread(f) for f in glob.glob(os.path.join(self.folder, room, "*.png"))]  # want SAT135 "several images"

    def __getitem__(self, i):
        return np.stack(self.read(self.rooms[i]))


class Pairs(Dataset):
    def __init__(self, pairs):
        self.pairs = pairs

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        return [photo(path) for path in self.pairs[i]]


def train(model, optimizer):
    model.cuda()
    for data in (Rooms("rooms"), Pairs([("a.jpg", "b.jpg")])):
        for batch in DataLoader(data, batch_size=8, num_workers=16):
            loss = model(batch.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
