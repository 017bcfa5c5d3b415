import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Photos(Dataset):
    def __init__(self, files, transform=None):
        self.files, self.transform = files, transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.transform(Image.open(self.files[i]))  # want SAT424 "images become float32"


def main(files, test_files):
    normalize = transforms.Normalize((0.5,), (0.5,))
    train = Photos(files, transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor(), normalize]))
    loader = DataLoader(train, batch_size=64, num_workers=8, pin_memory=True)
    model = nn.Conv2d(3, 8, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
