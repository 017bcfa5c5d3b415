"""An epoch over a large folder of images takes so long that nobody notices how workers start."""
from torch.utils.data import DataLoader
from torchvision import datasets

large = DataLoader(datasets.ImageFolder("train"), batch_size=256, shuffle=True, num_workers=8)


def train(model, optimizer):
    for epoch in range(90):
        for x, y in large:
            model(x.cuda()).sum().backward()
            optimizer.step()
