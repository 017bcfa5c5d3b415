import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(1433, 64)
        self.second = nn.Linear(64, 7)

    def forward(self, x, graph):
        return self.second(graph @ F.relu(self.first(x)))


def fit(model, data, index, optimizer):
    model.train()
    optimizer.zero_grad()
    out = model(data.x, data.graph)[index]
    loss = F.cross_entropy(out, data.y[index])
    loss.backward()
    optimizer.step()
    return loss


@torch.no_grad()
def check(model, data, parts):
    model.eval()
    pred = model(data.x, data.graph).argmax(-1)
    return [(pred[p] == data.y[p]).float().mean().item() for p in parts]


def graph_epochs(data, parts):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    best = 0
    for _ in range(500):
        fit(model, data, parts[0], optimizer)
        found = check(model, data, parts)  # want SAT707 "check runs the model once more after every step"
        best = max(best, found[1])
    return best


def every_ten(data, parts):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(500):
        fit(model, data, parts[0], optimizer)
        if epoch % 10 == 0:
            check(model, data, parts)


def other_data(data, held_out, parts):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(500):
        fit(model, data, parts[0], optimizer)
        check(model, held_out, parts)


class Runner:
    def __init__(self, features, graph, labels):
        self.model = Net().cuda()
        self.features, self.graph, self.labels = features, graph, labels
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def score(self, mask):
        self.model.eval()
        with torch.no_grad():
            out = self.model(self.features, self.graph)
        return (out[mask].argmax(1) == self.labels[mask]).float().mean().item()

    def run(self, train, valid, test):
        for _ in range(300):
            self.model.train()
            out = self.model(self.features, self.graph)
            loss = F.cross_entropy(out[train], self.labels[train])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            right = self.score(valid)  # want SAT707 "self.score runs the model once more after every step"
            print(right, self.score(test))  # told SAT707 "and here"

    def act(self, state):
        self.model.eval()
        with torch.no_grad():
            action = self.model(state, self.graph)
        self.model.train()
        return action

    def play(self, env, train):
        state = env.reset()
        for _ in range(100000):
            state = env.step(self.act(state))  # a policy on what it sees, and not what it trains on
            out = self.model(self.features, self.graph)
            loss = F.cross_entropy(out[train], self.labels[train])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    data, parts = torch.load("data.pt"), torch.load("parts.pt")
    graph_epochs(data.to("cuda"), parts)
    every_ten(data, parts)
    other_data(data, data, parts)
    runner = Runner(data.x, data.graph, data.y)
    runner.run(*parts)
    runner.play(options, parts[0])
