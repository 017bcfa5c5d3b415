"""A dataset that adds to the samples of another one takes as long as that one."""
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Photos(Dataset):
    def __init__(self, files):
        self.files = files
        self.change = transforms.Compose([transforms.RandomCrop(224), transforms.ToTensor()])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.change(Image.open(self.files[i]).convert("RGB")), i % 10


class Numbered(Dataset):
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        image, label = self.data[i]
        return image, label, i


def main(files):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for images, labels, _ in DataLoader(Numbered(Photos(files)), batch_size=64, shuffle=True):  # want SAT201 "in the training process"
        loss = nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
        loss.backward()
        optimizer.step()
