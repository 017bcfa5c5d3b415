"""Methods of an agent that run its networks: what the next state is worth, and the next action."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(17, 256), nn.ReLU(), nn.Linear(256, 6))

    def propose(self, state):
        made = torch.tanh(self.layers(state))
        return made, made.pow(2).sum(1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(23, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, state, action):
        return self.layers(torch.cat([state, action], 1))


class Agent:
    def __init__(self):
        self.actor, self.critic = Actor().cuda(), Critic().cuda()
        self.slow = copy.deepcopy(self.critic)
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def act(self, state):
        action, _ = self.actor.propose(state)  # want SAT513 "self.actor.propose builds a graph that is thrown away"
        return action.detach().cpu().numpy()

    def update(self, state, action, reward, after):
        following, cost = self.actor.propose(after)  # want SAT513 "self.actor.propose builds a graph that is thrown away"
        worth = self.slow(after, following)  # told SAT513 "and here"
        target = (reward + 0.99 * (worth - cost)).detach()
        loss = F.mse_loss(self.critic(state, action), target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(env, memory):
    agent = Agent()
    state = env.reset()
    for _ in range(100000):
        action = agent.act(torch.as_tensor(state, device="cuda"))
        after, reward, done, _ = env.step(action)
        memory.append((state, action, reward, after))
        state = env.reset() if done else after
        agent.update(*memory.sample(256))
