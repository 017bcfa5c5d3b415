import numpy as np
import torch
from skimage import color
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class ToLab:
    def __call__(self, image):
        image = color.rgb2lab(np.asarray(image))
        return image


class ToNarrowLab:
    def __call__(self, image):
        return color.rgb2lab(np.asarray(image)).astype(np.float32)


def train(model, optimizer):
    model.cuda()
    lab = transforms.Compose([transforms.RandomResizedCrop(224), ToLab(), transforms.ToTensor()])
    loader = DataLoader(datasets.ImageFolder("photos", transform=lab), batch_size=64, num_workers=8, pin_memory=True)
    for x, y in loader:
        x = x.float()  # want SAT423 "the batch is float64, and the training process turns it into float32 before each copy"
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
