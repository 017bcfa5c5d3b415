import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms

change = transforms.Compose([
    transforms.RandomResizedCrop(224),
    transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
    transforms.ToTensor(),
])
plain = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()])


class Views(Dataset):
    def __init__(self, files, transform):
        self.files, self.transform = files, transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = Image.open(self.files[i])
        return self.transform(image), self.transform(image)  # want SAT126 "ColorJitter changes each image"


class Pairs(datasets.CIFAR10):
    def __getitem__(self, i):
        image = Image.fromarray(self.data[i])
        return self.transform(image), self.transform(image)


def train(model, files, optimizer):
    model.cuda()
    a = DataLoader(Views(files, transform=change), batch_size=64, num_workers=8, shuffle=True, pin_memory=True)
    b = DataLoader(Pairs("data", train=True, transform=transforms.Compose([transforms.GaussianBlur(3), transforms.ToTensor()])), batch_size=64, num_workers=8, pin_memory=True)  # want SAT126 "GaussianBlur changes each image"
    c = DataLoader(datasets.CIFAR10("data", transform=plain), batch_size=64, num_workers=8, shuffle=True, pin_memory=True)
    for loader in (a, b, c):
        for x, y in loader:
            loss = (model(x.cuda(non_blocking=True)) - model(y.cuda(non_blocking=True))).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
