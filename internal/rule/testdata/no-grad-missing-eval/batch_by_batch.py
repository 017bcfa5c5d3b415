import torch
from torch import nn


class Engine:
    def __init__(self):
        self.model = nn.Linear(64, 10).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self, x, y):
        self.model.train()
        loss = nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss

    def check(self, x, y):
        self.model.eval()
        return nn.functional.cross_entropy(self.model(x), y).item()  # want SAT512 "graph for gradients that are never computed"


def main(loader, held_out):
    engine = Engine()
    for epoch in range(10):
        for x, y in loader:
            engine.train(x.cuda(), y.cuda())
        for x, y in held_out:
            print(engine.check(x.cuda(), y.cuda()))
