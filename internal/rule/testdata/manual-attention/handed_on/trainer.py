import torch


class Trainer:
    """It trains whatever model it is given."""

    def __init__(self, model, optimizer, loader):
        self.model = model.to("cuda")
        self.optimizer = optimizer
        self.loader = loader

    def run(self):
        for q, k, v in self.loader:
            self.model(q, k, v).mean().backward()
            self.optimizer.step()
