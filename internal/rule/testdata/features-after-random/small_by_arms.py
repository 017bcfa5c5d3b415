import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder
from torchvision.models import resnet50


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--views", default="color", choices=["plain", "color"])
    parser.add_argument("--workers", type=int, default=32)
    options = parser.parse_args()
    if options.views == "plain":
        change = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    elif options.views == "color":
        change = transforms.Compose([
            transforms.RandomResizedCrop(224),
            transforms.ColorJitter(0.4, 0.4, 0.4, 0.4),  # told SAT126 "made here"
            transforms.ToTensor(),
        ])
    else:
        raise ValueError(options.views)
    data = ImageFolder("train", transform=change)
    loader = DataLoader(data, batch_size=256, shuffle=True, num_workers=options.workers, pin_memory=True)  # want SAT126 "ColorJitter changes each image"
    model = resnet50().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(100):
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


main()
