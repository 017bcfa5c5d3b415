"""A data set of torchvision takes its transform by position."""

import numpy as np
import torch
import torchvision
from scipy.ndimage import gaussian_filter, map_coordinates
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import Compose, RandomCrop, ToTensor


class Ripple:
    def __init__(self, strength):
        self.strength = strength

    def __call__(self, image):
        pixels = np.asarray(image)
        rows, columns = pixels.shape[:2]
        down = gaussian_filter(np.random.rand(rows, columns), 4) * self.strength  # want SAT126 "blurs each sample"
        y, x = np.mgrid[:rows, :columns]
        return np.stack([map_coordinates(pixels[..., c], [y + down, x], order=1) for c in range(3)], -1)


photos = ImageFolder("photos", Compose([Ripple(30), ToTensor(), RandomCrop(224)]))
network = torchvision.models.resnet50().cuda()
optimizer = torch.optim.AdamW(network.parameters(), fused=True)
for epoch in range(20):
    for images, labels in DataLoader(photos, 64, True, num_workers=8, pin_memory=True):
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(network(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
