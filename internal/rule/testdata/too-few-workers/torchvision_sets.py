import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def loaders(root, small):
    photos = DataLoader(datasets.ImageFolder(root, transforms.ToTensor()), batch_size=256, num_workers=4)  # want SAT210 "num_workers=4 for the 256"
    larger = transforms.Compose([transforms.RandomResizedCrop((224, 224)), transforms.ToTensor()])
    cifar = DataLoader(datasets.CIFAR10(root, transform=larger), batch_size=512, num_workers=4)  # want SAT210 "num_workers=4 for the 512"
    return photos, cifar


def train(model, root):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for loader in loaders(root, False):
        for x, y in loader:
            loss = model(x.cuda(), y.cuda())
            loss.backward()
            optimizer.step()
