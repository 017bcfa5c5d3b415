"""Rollouts that call a method of the model instead of the model."""

import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.critic = nn.Linear(8, 4), nn.Linear(8, 1)

    def act(self, x, action=None):
        d = Categorical(logits=self.body(x))
        if action is None:
            action = d.sample()
        return action, d.log_prob(action), self.critic(x)

    @torch.no_grad()
    def quiet(self, x):
        return self.body(x).argmax(-1)

    def count(self, x):
        return len(x)


def collect(agent, envs, x, kept):
    for _ in range(128):
        action, logp, value = agent.act(x)  # want SAT513 "agent.act builds a graph"
        x, reward, term, trunc, info = envs.step(action.cpu().numpy())
        kept.append((logp.detach(), value.detach(), reward, agent.quiet(x), agent.count(x)))
    return x


def learning(agent, envs, x, kept):
    for _ in range(128):
        action, logp, value = agent.act(x)
        x, reward, term, trunc, info = envs.step(action.cpu().numpy())
        kept.append(logp * reward)
    return x


def train(envs, x):
    agent = Agent().cuda()
    optimizer = torch.optim.Adam(agent.parameters(), fused=True)
    for update in range(1000):
        kept, losses = [], []
        x = collect(agent, envs, x, kept)
        x = learning(agent, envs, x, losses)
        for idx in torch.randperm(128, device="cuda").split(32):
            _, new, value = agent.act(x[idx])
            loss = new.mean() + value.mean() + torch.stack(losses).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
