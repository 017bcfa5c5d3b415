import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


class FullSize(Dataset):
    """All pixels are used."""

    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return np.asarray(Image.open(self.files[i]))


class Kept(Dataset):
    """Each image is decoded once."""

    def __init__(self, files):
        self.images = [Image.open(f).resize((224, 224)) for f in files]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i]


class Packed(Dataset):
    """Nothing is decoded."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, i):
        return self.array[i].resize((224, 224))


class AboutAsLargeAsStored(Dataset):
    def __init__(self, files):
        self.files = files
        self.transform = transforms.Compose([transforms.RandomCrop(384), transforms.ToTensor()])

    def __getitem__(self, i):
        return self.transform(Image.open(self.files[i]).convert("RGB"))


class Cropped(Dataset):
    """The files may be hardly larger than what a crop leaves of them."""

    def __init__(self, files):
        self.files = files
        self.transform = transforms.Compose([transforms.RandomCrop(112), transforms.ToTensor()])

    def __getitem__(self, i):
        return self.transform(Image.open(self.files[i]).convert("L").crop((0, 0, 128, 128)))


plain = datasets.ImageFolder("train", transform=transforms.ToTensor())
test_set = datasets.ImageFolder("test", transform=transforms.Compose([transforms.Resize(224), transforms.ToTensor()]))


def train(model, files):
    optimizer = torch.optim.SGD(model.parameters(), 0.1, fused=True)
    for data in (FullSize(files), Kept(files), Packed(files), AboutAsLargeAsStored(files), Cropped(files), plain):
        for image in DataLoader(data, batch_size=64, shuffle=True, num_workers=8):
            loss = model(image).mean()
            loss.backward()
            optimizer.step()


@torch.no_grad()
def test(model):
    return [model(image) for image in DataLoader(test_set, batch_size=64)]
