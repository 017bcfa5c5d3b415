"""A plain loop without a DataLoader: the model's inputs and the loss's targets are all there is to see."""

import numpy as np
import torch

import data


def batch(step):
    rows = np.random.RandomState(step).permutation(data.CLIPS)[:4]
    x = np.stack([data.features(data.resample(data.read(i))) for i in rows])
    return torch.from_numpy(x), torch.tensor([data.label(i) for i in rows])


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(data.FEATURES, data.CLASSES)
    criterion = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for step in range(60):
        x, y = batch(step)
        x = x + 0.1 * torch.randn_like(x)
        loss = criterion(model(data.on_device(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
