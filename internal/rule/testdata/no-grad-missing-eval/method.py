import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)

    def predict(self, x):
        return self.layer(x).argsort()

    @torch.no_grad()
    def rank(self, x):
        return self.layer(x).argsort()


def evaluate(ranker, users):
    return [ranker.rank(u) for u in users]


def evaluate_users(ranker, users):
    ranks = []
    for u in users:
        ranks.append(ranker.predict(u))  # want SAT512 "builds a graph"
    return ranks


def score(ranker, users):
    total = 0
    for u in users:
        total += ranker.predict(u)[0].item()
    return total


def score_quietly(ranker, users):
    with torch.no_grad():
        for u in users:
            ranker.predict(u)


def attack(ranker, users):
    for u in users:
        ranker(u).sum().backward()


def train(loader, users, epochs):
    ranker = Ranker().cuda()
    optimizer = torch.optim.Adam(ranker.parameters())
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            ranker(x).mean().backward()
            optimizer.step()
        ranker.eval()
        evaluate(ranker, users)
        evaluate_users(ranker, users)
        score(ranker, users)  # want SAT512 "builds a graph"
        score_quietly(ranker, users)
        attack(ranker, users)
        ranker.train()
        print(score)
