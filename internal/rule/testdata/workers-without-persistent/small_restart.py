import torch
from torch.utils.data import DataLoader
from torchvision import datasets


def few_epochs(model, data, optimizer):
    loader = DataLoader(data, batch_size=8, num_workers=4, pin_memory=True)  # want SAT202 "few epochs"
    for epoch in range(1, 3 + 1):
        for x in loader:
            model(x.cuda()).sum().backward()
            optimizer.step()


if __name__ == "__main__":
    few_epochs(torch.nn.Linear(4, 4).cuda(), datasets.FakeData(), None)
