"""Loaders that are made or start their workers again in every epoch, or prepare one batch ahead."""
# repairs: only SAT202 SAT206 SAT207
import torch
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"
WORKERS = 1


class Rows(Dataset):
    def __init__(self, count):
        self.rows = torch.arange(count * 3.0).view(count, 3)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i].sqrt()


def train(model, optimizer, data, epochs):
    kept = DataLoader(data, batch_size=4, num_workers=WORKERS, prefetch_factor=1)
    for epoch in range(epochs):
        loader = DataLoader(data, batch_size=3)
        for x in loader:
            step(model, optimizer, x)
        for x in kept:
            step(model, optimizer, x)
        print(epoch, f"{sum(p.sum().item() for p in model.parameters()):.4f}")


def step(model, optimizer, x):
    loss = model(x.to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    model = torch.nn.Linear(3, 1).to(device)
    torch.nn.init.constant_(model.weight, 0.1)
    torch.nn.init.zeros_(model.bias)
    train(model, torch.optim.SGD(model.parameters(), lr=1e-3), Rows(8), 3)
