import random

import cv2
import torch
from torch.utils.data import DataLoader, Dataset


def degrade(image):
    height, width = image.shape[:2]
    scale = random.uniform(1, 8)
    small = cv2.resize(image, (int(width // scale), int(height // scale)))
    return cv2.resize(small, (width, height))


class Restoration(Dataset):
    def __init__(self, files, size=512):
        self.files, self.size = files, size

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = cv2.imread(self.files[i])  # want SAT128 "decoded"
        image = cv2.resize(image, (self.size, self.size))
        return degrade(image), image


def train(files, model, optimizer):
    loader = DataLoader(Restoration(files), batch_size=8, shuffle=True, num_workers=4)
    for _ in range(100):
        for degraded, image in loader:
            loss = (model(degraded.cuda()) - image.cuda()).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
