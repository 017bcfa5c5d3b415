"""Metrics that a class of the program computes behind a base class, read back and copied by helpers."""
import torch
from torch import nn


class Task:
    def objective(self, data, model):
        raise NotImplementedError()


class Words(Task):
    def __init__(self):
        self.criterion = nn.CrossEntropyLoss()

    def objective(self, data, model):
        return {"loss": self.criterion(model(data["x"]), data["y"])}


class Loop:
    def __init__(self, task: Task, steps):
        self.task, self.steps = task, steps

    def run(self, model, data, optimizer):
        model.cuda()
        seen = []
        for step in range(self.steps):
            seen.append(self.step(model, data, optimizer))

    def step(self, model, data, optimizer):
        metrics = self.task.objective(data, model)
        loss = metrics["loss"]
        loss.backward()
        optimizer.step()
        return {k: self.number(v) for k, v in metrics.items()}

    def number(self, value):
        return value.item()  # want SAT301 "value.item.. waits for the GPU"


def main(model, data):
    Loop(Words(), 100).run(model, data, torch.optim.SGD(model.parameters()))
