import cv2
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms


class Photos(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = Image.open(self.files[i]).convert("RGB")  # want SAT128 "made smaller"
        mask = Image.open(self.files[i].with_suffix(".png"))
        return image.resize((224, 224)), mask.resize((224, 224))


class Helped(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return read(self.files[i])


def read(path):
    image = cv2.imread(path)  # want SAT128 "made smaller"
    return shrink(image)


def shrink(image):
    return cv2.resize(image, (256, 256))


class Transformed(Dataset):
    def __init__(self, files, transform):
        self.files = files
        self.transform = transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.transform(Image.open(self.files[i]))  # want SAT128 "made smaller"


class Large(Transformed):
    def __getitem__(self, i):
        return cv2.resize(cv2.imread(self.files[i]), (608, 608))  # want SAT128 "decoded and resized in every epoch"


augment = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
train_set = datasets.ImageFolder("train", transform=augment)  # want SAT128 "made smaller"


def train(model, files):
    optimizer = torch.optim.SGD(model.parameters(), 0.1, fused=True)
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True, num_workers=4)
    for data in (Photos(files), Helped(files), Transformed(files, augment), Large(files, None), train_loader):
        for image in DataLoader(data, batch_size=64, shuffle=True, num_workers=8):
            loss = model(image).mean()
            loss.backward()
            optimizer.step()
