import random

import numpy as np
import torch


class Memory:
    def __init__(self):
        self.buffer = []

    def sample(self, n):
        picked = random.sample(self.buffer, n)
        states = torch.from_numpy(np.vstack([e.state for e in picked])).float()  # want SAT136 "one by one"
        rewards = torch.from_numpy(np.vstack([e.reward for e in picked])).float()
        return states, rewards


def windows(data, length, n):
    starts = torch.randint(len(data) - length, (n,))
    return torch.stack([torch.from_numpy(data[i : i + length].astype(np.int64)) for i in starts])  # a few dozen copies


def train(model, memory, optimizer, steps):
    model.to("cuda")
    for step in range(steps):
        states, rewards = memory.sample(64)
        loss = (model(states.cuda()) - rewards.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def language(model, data, optimizer, steps):
    model.to("cuda")
    for step in range(steps):
        loss = model(windows(data, 1024, 32).cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    net = torch.nn.Linear(4, 1)
    train(net, Memory(), torch.optim.Adam(net.parameters()), 1000)
