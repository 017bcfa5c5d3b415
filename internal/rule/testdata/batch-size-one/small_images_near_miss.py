import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def train():
    grown = transforms.Compose([transforms.Resize(224), transforms.ToTensor()])
    a = DataLoader(datasets.CIFAR10("data", transform=grown), batch_size=32, num_workers=4)
    b = DataLoader(datasets.CIFAR10("data", transform=transforms.ToTensor()), batch_size=256, num_workers=4)
    c = DataLoader(datasets.ImageFolder("photos", transform=transforms.RandomResizedCrop(224)), batch_size=64)
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 10, 3)).cuda()
    optimizer = optim.Adam(model.parameters())
    for (x, _), (y, _), (z, _) in zip(a, b, c):
        (model(x.cuda()).mean() + model(y.cuda()).mean() + model(z.cuda()).mean()).backward()
        optimizer.step()
        optimizer.zero_grad()
