import torch
from torch.utils.data import DataLoader
from torchvision import datasets


def train(model, optimizer):
    """A batch of 100 KB is copied in no time."""
    model.to("cuda")
    loader = DataLoader(datasets.MNIST("data"), batch_size=32, shuffle=True, num_workers=2)  # want SAT203 "a batch is small"
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
