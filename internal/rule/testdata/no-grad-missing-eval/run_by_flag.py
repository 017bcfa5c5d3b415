import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x


class Solver:
    def __init__(self, loader, held_out, optimizer):
        self.model, self.loader, self.held_out, self.optimizer = Net().cuda(), loader, held_out, optimizer

    def train(self):
        for epoch in range(10):
            self.run(epoch)
            loss = self.run(epoch, held_out=True)  # want SAT512 "never computed"
            with torch.no_grad():
                self.run(epoch, held_out=True)
            print(loss)

    def run(self, epoch, held_out=False):
        total = 0
        for x in self.held_out if held_out else self.loader:
            loss = self.model(x.cuda()).mean()
            if not held_out:
                loss.backward()
                self.optimizer.step()
            total += loss.detach()
        return total
