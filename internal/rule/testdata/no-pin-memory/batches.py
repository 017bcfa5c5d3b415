import torch
from torch.utils.data import DataLoader
from torchvision import datasets


def train(model, optimizer):
    """Pinned memory takes a batch of 100 KB from the workers ahead of time, too."""
    model.to("cuda")
    loader = DataLoader(datasets.MNIST("data"), batch_size=32, shuffle=True, num_workers=2)  # want SAT203 "pageable"
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()


def train_large(model, optimizer):
    model.to("cuda")
    loader = DataLoader(datasets.MNIST("data"), batch_size=4096, shuffle=True, num_workers=2)  # want SAT203 "pageable"
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
