import random

import albumentations as A
import cv2
import numpy as np
import torch
from PIL import Image, ImageEnhance, ImageFilter
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose


class Recolor:
    def __call__(self, pair):
        image, mask = pair
        image = ImageEnhance.Contrast(image).enhance(random.uniform(0.8, 1.2))  # want SAT126 "recolors each image on the CPU"
        return ImageEnhance.Color(image).enhance(random.uniform(0.8, 1.2)), mask


class Blur:
    def __init__(self, p):
        self.p = p

    def __call__(self, pair):
        image, mask = pair
        if random.random() < self.p:
            image = image.filter(ImageFilter.GaussianBlur(random.random()))
        return image, mask


def centered(image, size):
    return image.resize((size, size), Image.BILINEAR)


def turned(image, angle, flag=Image.BILINEAR):
    return image.rotate(angle, resample=flag)


bent = A.Compose([
    A.HorizontalFlip(p=0.5),
    A.OneOf([A.GridDistortion(p=0.5), A.ElasticTransform(alpha=60, sigma=20)], p=0.5),
])


class Pairs(Dataset):
    def __init__(self, files, change):
        self.files, self.change = files, change

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image, mask = (Image.open(f) for f in self.files[i])
        image = turned(image, random.uniform(-5, 5))
        image, mask = self.change((centered(image, 224), mask))
        return torch.from_numpy(np.array(image)), torch.from_numpy(np.array(mask))


class Lines(Dataset):
    def __init__(self, files, bend=None):
        self.files, self.bend = files, bend

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.from_numpy(self.bend(image=cv2.imread(self.files[i]))["image"])  # want SAT126 "GridDistortion changes each image"


class Poses(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = cv2.imread(self.files[i])
        h, w = image.shape[:2]
        matrix = cv2.getRotationMatrix2D((w / 2, h / 2), np.random.uniform(-30, 30), 1)
        image = cv2.warpAffine(image, matrix, (w, h))  # want SAT126 "warps each image on the CPU"
        return torch.from_numpy(cv2.warpAffine(image, np.float32([[1, 0, 4], [0, 1, 4]]), (w, h)))


def train(model, files, optimizer):
    model.cuda()
    for data in (Pairs(files, Compose([Recolor(), Blur(p=0.0)])), Lines(files, bend=bent), Poses(files)):
        for x in DataLoader(data, batch_size=64, num_workers=8, shuffle=True, pin_memory=True):
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
