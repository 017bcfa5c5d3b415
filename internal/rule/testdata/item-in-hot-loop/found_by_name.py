import sys

import torch


def accuracy(output, target):
    with torch.no_grad():
        return (output.argmax(1) == target).sum().item() / len(target)  # want SAT301 "waits for the GPU"


def unused(output):
    return output


class Base:
    def __init__(self, model, metrics, optimizer):
        self.model, self.metrics, self.optimizer = model, metrics, optimizer

    def train(self, loader):
        for epoch in range(10):
            self._epoch(loader)


class Trainer(Base):
    def _epoch(self, loader):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            output = self.model(x)
            loss = torch.nn.functional.cross_entropy(output, y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            for metric in self.metrics:
                metric(output, y)


def main(model, optimizer, loader):
    metrics = [accuracy]
    Trainer(model, metrics, optimizer).train(loader)
