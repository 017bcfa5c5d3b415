import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def train_step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def fit(self, batches, steps):
        for step in range(steps):
            x, y = next(batches)
            self.train_step(x, y)


def batches():
    while True:
        yield torch.randn(8, 4), torch.randn(8, 1)


if __name__ == "__main__":
    model = nn.Linear(4, 1)
    Trainer(model, torch.optim.SGD(model.parameters(), lr=0.1)).fit(batches(), 12)
