import torch
from torch.utils.data import DataLoader
from torchvision.datasets import MNIST

model = torch.nn.Linear(784, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train_loader = DataLoader(MNIST("data"), batch_size=100, shuffle=True)
for epoch in range(5):
    for x, y in train_loader:
        loss = torch.nn.functional.cross_entropy(model(x.view(-1, 784)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
