from torch.utils.data import DataLoader
from torchvision import datasets

small = DataLoader(datasets.CIFAR10("data"), batch_size=128, shuffle=True, num_workers=8)  # want SAT202 "restarted"


def train(model, optimizer):
    for epoch in range(90):
        for x, y in small:
            model(x.cuda()).sum().backward()
            optimizer.step()
