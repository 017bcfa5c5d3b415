import argparse

import torch
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


class Numbered(datasets.CIFAR100):
    def __getitem__(self, i):
        return (*super().__getitem__(i), i)


def train(args, order):
    crop = transforms.Compose([transforms.RandomCrop(32, padding=4), transforms.ToTensor()])
    loader = DataLoader(Numbered("data", transform=crop), batch_size=min(args.batch, len(order)), num_workers=4)  # want SAT211 "the batch size is 48; the images are small"
    faces = datasets.ImageFolder("faces", transforms.Compose([transforms.Resize(64), transforms.CenterCrop(64), transforms.ToTensor()]))
    more = DataLoader(faces, batch_size=32)  # want SAT211 "the batch size is 32"
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 10, 3)).cuda()
    optimizer = optim.Adam(model.parameters())
    for (x, _, _), (y, _) in zip(loader, more):
        (model(x.cuda()).mean() + model(y.cuda()).mean()).backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=48)
    train(parser.parse_args(), input().split())
