import copy
import random

import torch
import torch.nn.functional as F
from torch import nn


class QNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 64), nn.Linear(64, 2)

    def forward(self, x):
        return self.b(self.a(x).relu())


class Replay:
    def __init__(self):
        self.rows = []

    def sample(self, count):
        rows = random.sample(self.rows, count)
        return [torch.stack(part).cuda() for part in zip(*rows)]


class Agent:
    def __init__(self):
        self.net, self.target = QNet().cuda(), QNet().cuda()
        self.memory = Replay()
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def learn(self):
        s, a, r, s2, d = self.memory.sample(64)
        q = self.net(s).gather(1, a)
        goal = r + 0.99 * self.target(s2).max(1)[0] * (1 - d)  # want SAT513 "self.target is never updated but builds a graph"
        loss = F.smooth_l1_loss(q, goal.unsqueeze(1))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class Spread:
    def __init__(self):
        self.net = QNet().cuda()
        self.target = copy.deepcopy(self.net)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def learn(self, s, a, r, s2, d):
        q = self.net(s).gather(1, a)
        with torch.no_grad():
            goal = r + 0.99 * self.target(s2).max(1)[0] * (1 - d)
        loss = F.smooth_l1_loss(q, goal.unsqueeze(1))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(buffer):
    agent, spread = Agent(), Spread()
    for step in range(100000):
        agent.learn()
        spread.learn(*buffer.sample(64))
