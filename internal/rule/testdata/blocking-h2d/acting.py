import gym
import numpy as np
import torch
from torch import nn

device = torch.device("cuda")
env = gym.make("Hopper")
actor = nn.Linear(17, 6).to(device)
optimizer = torch.optim.Adam(actor.parameters())


def select_action(state):
    state = torch.FloatTensor(np.asarray(state)).to(device)  # the environment has only just made it
    return actor(state).argmax().item()


def act(state):
    return select_action(state)


def learn(memory):
    states = torch.FloatTensor(np.asarray(memory)).to(device)  # want SAT311 "copied from pageable memory"
    loss = actor(states).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


state, memory = env.reset(), []
for step in range(1000000):
    action = act(state)
    state, reward, done, info = env.step(action)
    memory.append(state)
    learn(memory)
