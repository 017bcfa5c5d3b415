import gym
import numpy as np
import torch
from torch import nn

device = torch.device("cuda")


class Agent:
    def __init__(self):
        self.actor = nn.Linear(17, 6).to(device)
        self.optimizer = torch.optim.Adam(self.actor.parameters())

    def select_action(self, state):
        state = torch.FloatTensor(state.reshape(1, -1)).to(device)
        return self.actor(state).cpu().data.numpy().flatten()  # want SAT304 "acts on one observation at a time"

    def select_many(self, states):
        return self.actor(torch.FloatTensor(states).to(device)).cpu().data.numpy()

    def train(self, batch):
        loss = self.actor(batch.to(device)).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach().cpu().numpy()  # want SAT304 "copies to the host"


def main(buffer):
    env, envs, agent = gym.make("Hopper"), gym.vector.make("Hopper"), Agent()
    state, states = env.reset(), envs.reset()
    for step in range(1000000):
        action = agent.select_action(np.array(state))
        state, reward, done, info = env.step(action)
        actions = agent.select_many(states)
        states, rewards, dones, infos = envs.step(actions)
        agent.train(buffer.sample())
