import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def train(model, root):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters())
    same = transforms.Compose([transforms.RandomResizedCrop(32), transforms.ToTensor()])
    loader = DataLoader(datasets.CIFAR10(root, transform=same), batch_size=512, num_workers=4)
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        loss.backward()
        optimizer.step()
