import random

import numpy as np
from skimage import color
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


class ToLab:
    def __call__(self, image):
        return color.rgb2lab(np.asarray(image, np.uint8))  # want SAT126 "converts the colors of each sample on the CPU"


class Faded(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = color.rgb2hsv(self.images[i][:, :: random.choice((1, -1))])  # want SAT126 "converts the colors of each sample on the CPU"
        image[..., 1] *= random.uniform(0.5, 1.5)
        return color.hsv2rgb(image).astype(np.float32)


def train(model, images, optimizer):
    model.cuda()
    change = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), ToLab(), transforms.ToTensor()])
    lab = DataLoader(datasets.ImageFolder("photos", transform=change), batch_size=64, num_workers=8, pin_memory=True)
    faded = DataLoader(Faded(images), batch_size=64, num_workers=8, pin_memory=True)
    for (x, _), y in zip(lab, faded):
        loss = model(x.float().cuda(non_blocking=True), y.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
