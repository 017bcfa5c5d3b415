import torch
from torchvision import models


def train(loader, criterion):
    model = models.resnet18(num_classes=10).to("cuda")  # want SAT413 "without measuring"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = criterion(model(x.to("cuda")), y.to("cuda"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
