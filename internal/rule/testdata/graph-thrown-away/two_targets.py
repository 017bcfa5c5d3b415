from collections import namedtuple

import torch
from torch import nn

Losses = namedtuple("Losses", "policy q1 q2")


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action], -1))


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)

    def forward(self, state):
        return self.net(state)


class Agent:
    def __init__(self, actor, q1, q2):
        self.actor, self.q1, self.q2 = actor, q1, q2
        self.t1, self.t2 = Critic().cuda(), Critic().cuda()
        self.optimizer = torch.optim.Adam([*actor.parameters(), *q1.parameters(), *q2.parameters()])
        self.criterion = nn.MSELoss()

    def losses(self, state, action, reward, then):
        chosen = self.actor(state)
        policy = -torch.min(self.q1(state, chosen), self.q2(state, chosen)).mean()
        a, b = self.q1(state, action), self.q2(state, action)
        after = torch.min(
            self.t1(then, action),  # want SAT513 "self.t1 builds a graph that is thrown away"
            self.t2(then, action),
        )
        target = reward + 0.99 * after
        return Losses(policy, self.criterion(a, target.detach()), self.criterion(b, target.detach()))

    def update(self, batch):
        losses = self.losses(*batch)
        self.optimizer.zero_grad()
        (losses.policy + losses.q1 + losses.q2).backward()
        self.optimizer.step()


class Kept(Agent):  # one use needs the graph
    def losses(self, state, action, reward, then):
        a = self.q1(state, action)
        guess = self.q2(then, action)
        target = reward + guess
        return Losses(a.mean(), self.criterion(a, target.detach()), guess.pow(2).mean())


def straight_through(loader):
    coder, book = Actor().cuda(), Actor().cuda()
    optimizer = torch.optim.Adam(coder.parameters())
    for x in loader:
        code = coder(x.cuda())
        near = book(code)  # want SAT513 "book builds a graph"
        passed = code + (near - code).detach()
        optimizer.zero_grad()
        passed.mean().backward()
        optimizer.step()


def main():
    agent = Agent(Actor().cuda(), Critic().cuda(), Critic().cuda())
    other = Kept(Actor().cuda(), Critic().cuda(), Critic().cuda())
    for step in range(1000):
        batch = [torch.randn(256, n, device="cuda") for n in (8, 2, 1, 8)]
        agent.update(batch)
        other.update(batch)


if __name__ == "__main__":
    main()
