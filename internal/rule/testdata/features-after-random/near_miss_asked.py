import random

from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Jitter:
    def __init__(self, by, p):
        self.by, self.p = transforms.ColorJitter(by), p

    def __call__(self, image):
        return self.by(image) if random.random() < self.p else image


class Files(Dataset):
    def __init__(self, files, transform):
        self.files, self.transform = files, transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.transform(Image.open(self.files[i]))


def train(model, files, config, optimizer):
    model.cuda()
    chain = [transforms.RandomResizedCrop(224)]
    if config.jitter:
        chain.extend([Jitter(config.jitter, 0.8)])
    chain.append(transforms.ToTensor())
    for x in DataLoader(Files(files, transform=transforms.Compose(chain)), batch_size=64, num_workers=8, pin_memory=True):
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
