"""Models that run between the steps of training."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.pi, self.v = nn.Linear(64, 512), nn.Linear(512, 4), nn.Linear(512, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return Categorical(logits=self.pi(h), validate_args=False), self.v(h).squeeze(-1)


def rollouts(envs, steps):
    agent = Agent().to("cuda")
    optimizer = torch.optim.Adam(agent.parameters())
    values = torch.zeros(steps, 8, device="cuda")
    o = torch.as_tensor(envs.reset(), device="cuda")
    for _ in range(1000):
        rows, acts = [], []
        for t in range(steps):
            dist, value = agent(o)  # want SAT513 "builds a graph that is thrown away"
            action = dist.sample()
            values[t], _ = value.detach(), 0
            rows.append(o)
            acts.append(action)
            o = torch.as_tensor(envs.step(action.cpu().numpy())[0], device="cuda")
        for _ in range(4):
            dist, value = agent(torch.cat(rows))
            loss = F.mse_loss(value, values.flatten()) - dist.log_prob(torch.cat(acts)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def reinforce(envs, steps):
    agent = Agent().to("cuda")
    optimizer = torch.optim.Adam(agent.parameters())
    o = torch.as_tensor(envs.reset(), device="cuda")
    for _ in range(1000):
        kept = []
        for t in range(steps):
            dist, value = agent(o)
            action = dist.sample()
            kept.append(dist.log_prob(action))
            print(value.mean().item())
            o = torch.as_tensor(envs.step(action.cpu().numpy())[0], device="cuda")
        loss = -torch.stack(kept).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def stored(envs, steps):
    agent = Agent().to("cuda")
    optimizer = torch.optim.Adam(agent.parameters())
    for x, y in envs:
        values = torch.zeros(steps, 8, device="cuda")
        for t in range(steps):
            values[t] = agent(x)[1]
        loss = F.mse_loss(values, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def looked_at(loader, held):
    model = nn.Sequential(nn.Linear(64, 512), nn.Linear(512, 10)).to("cuda")
    agent = Agent().to("cuda")
    optimizer = torch.optim.Adam(agent.parameters())
    for epoch in range(10):
        for x, y in loader:
            loss = F.mse_loss(agent(x.to("cuda"))[1], y.to("cuda"))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total = 0.0
        for x, y in held:
            _, value = agent(x.to("cuda"))  # want SAT513 "builds a graph that is thrown away"
            error = F.mse_loss(value, y.to("cuda"))
            total += error
        print(float(total), model)
