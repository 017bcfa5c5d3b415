"""Nested loops over the numbers of a tensor."""

import torch
from torch import nn


class Rollout:
    def __init__(self, steps, envs):
        self.steps, self.envs = steps, envs
        self.rewards, self.values = [], []

    def advantages(self, last, gamma):
        rewards, values = torch.stack(self.rewards), torch.stack(self.values)
        out = torch.zeros_like(rewards)
        for e in range(self.envs):  # want SAT319 "computes on rewards one element at a time"
            run = 0.0
            for t in reversed(range(self.steps)):
                run = rewards[t, e] + gamma * run - values[t, e]
                out[t, e] = run
        return out

    def by_row(self, last, gamma):
        rewards = torch.stack(self.rewards)
        out = torch.zeros_like(rewards)
        run = last
        for t in reversed(range(self.steps)):
            run = rewards[t] + gamma * run
            out[t] = run
        return out


def aligned(cost):
    n, m = cost.shape
    for i in range(1, n):  # want SAT319 "computes on cost one element at a time"
        for j in range(1, m):
            cost[i, j] = cost[i, j] + torch.min(cost[i - 1, j], cost[i, j - 1])
    return cost[n - 1, m - 1]


def small(x):
    for i in range(3):
        for j in range(3):
            x[i, j] = x[i, j] * 2
    return x


def train(loader, envs):
    model = nn.Linear(64, 10).cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    roll = Rollout(128, envs)
    for update in range(1000):
        goal = roll.advantages(0.0, 0.99) + roll.by_row(0.0, 0.99)
        for x in loader:
            out = model(x.cuda(non_blocking=True))
            loss = (out - goal).mean() + aligned(torch.cdist(out, out)) + small(out).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
