import copy

import gym
import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.first = nn.Linear(observations, 256)
        self.second = nn.Linear(256, 256)
        self.last = nn.Linear(256, actions)

    def forward(self, x):
        return torch.tanh(self.last(torch.relu(self.second(torch.relu(self.first(x))))))


def train(steps):
    env = gym.make("Hopper-v4")
    actor = Actor(env.observation_space.shape[0], env.action_space.shape[0]).cuda()  # want SAT404 "tensor cores; the network is small"
    target = copy.deepcopy(actor)
    optimizer = torch.optim.Adam(actor.parameters())
    state = env.reset()
    for step in range(steps):
        action = actor(torch.as_tensor(state).cuda()).cpu().numpy()
        state, reward, done, info = env.step(action)
        loss = (actor(torch.randn(256, 11).cuda()) - target(torch.randn(256, 11).cuda())).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    train(1000)
