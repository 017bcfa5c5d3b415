import torch
from torch.utils.data import DataLoader
from torchvision import datasets


def train(model, data, optimizer, epochs):
    two = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True)  # want SAT202 "start quickly"
    for epoch in range(epochs):
        for x in two:
            model(x.cuda()).sum().backward()
            optimizer.step()
    digits = DataLoader(datasets.MNIST("data"), batch_size=64, num_workers=2, pin_memory=True)  # want SAT202 "every epoch$"
    for epoch in range(epochs):
        for x in digits:
            model(x.cuda()).sum().backward()
            optimizer.step()
