import numpy as np
import scipy.ndimage as ndi
import torch
from scipy.ndimage import gaussian_filter, map_coordinates
from skimage import transform as tf
from skimage.transform import rescale, rotate
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import Compose


class Scale:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, sample):
        image, mask = sample
        by = np.random.uniform(1 - self.scale, 1 + self.scale)
        image = rescale(image, by, preserve_range=True)  # want SAT126 "resizes each sample on the CPU"
        mask = rescale(mask, by, order=0)
        return image, mask


class Rotate:
    def __call__(self, sample):
        image, mask = sample
        angle = np.random.uniform(-10, 10)
        return rotate(image, angle), rotate(mask, angle, order=0)  # want SAT126 "rotates each sample"


def elastic(image, alpha, sigma, rng):
    dx = gaussian_filter(rng.rand(*image.shape) * 2 - 1, sigma) * alpha  # want SAT126 "blurs each sample"
    dy = gaussian_filter(rng.rand(*image.shape) * 2 - 1, sigma) * alpha
    x, y = np.meshgrid(np.arange(image.shape[0]), np.arange(image.shape[1]))
    return map_coordinates(image, [np.reshape(y + dy, (-1, 1)), np.reshape(x + dx, (-1, 1))], order=1).reshape(image.shape)


class Blur:
    def __call__(self, sample):
        image, mask = sample
        return ndi.gaussian_filter(image, np.random.uniform(0, 2)), mask  # want SAT126 "blurs each sample"


def changes(scale=None, blur=None):
    chain = []
    if scale is not None:
        chain.append(Scale(scale))
    chain.extend([Rotate()])
    if blur is not None:
        chain.append(Blur())
    return Compose(chain)


class Slices(Dataset):
    def __init__(self, volumes, transform):
        self.volumes, self.transform = volumes, transform

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, i):
        image, mask = self.transform(self.volumes[i])
        image = elastic(image, 30, 4, np.random.RandomState(None))
        if np.random.rand() < 0.5:
            image = ndi.rotate(image, np.random.uniform(-5, 5), reshape=False)  # want SAT126 "rotates each sample"
        return torch.from_numpy(image), torch.from_numpy(mask)


class Aligned(Dataset):
    def __init__(self, volumes, angles):
        self.volumes = [tf.rotate(v, a) for v, a in zip(volumes, angles)]  # once

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, i):
        return torch.from_numpy(self.volumes[i])


def train(model, volumes, angles, optimizer):
    model.cuda()
    data = Slices(volumes, transform=changes(scale=0.1, blur=True))
    for image, mask in DataLoader(data, batch_size=8, num_workers=8, pin_memory=True):
        loss = model(image.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    for image in DataLoader(Aligned(volumes, angles), batch_size=8, num_workers=8, pin_memory=True):
        loss = model(image.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
