import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return torch.load(self.files[i])


class Rows(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, i):
        return self.table[i, 1:], self.table[i, 0]


def steps(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(100):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def photos(files):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 10, 3)).cuda()
    steps(model, DataLoader(Photos(files), batch_size=16, num_workers=4))  # want SAT211 "the batch size is 16"


def enough(files):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 10, 3)).cuda()
    steps(model, DataLoader(Photos(files), batch_size=64, num_workers=4))


def digits():
    data = datasets.CIFAR10("data", transform=transforms.ToTensor())
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 10, 3)).cuda()
    steps(model, DataLoader(data, batch_size=128, num_workers=4))  # want SAT211 "the batch size is 128"
