"""A replay buffer of arrays: every update copies what it draws."""
import numpy as np
import torch


class Replay:
    def __init__(self, size, device):
        self.seen = np.empty((size, 84, 84), dtype=np.uint8)
        self.rewards = np.empty((size, 1), dtype=np.float32)
        self.device = device

    def sample(self, count):
        chosen = np.random.randint(0, len(self.seen), size=count)
        seen = self.seen[chosen]
        seen = torch.as_tensor(seen, device=self.device).float()  # want SAT311 "seen is copied from pageable memory"
        rewards = torch.as_tensor(self.rewards[chosen], device=self.device)
        return seen, rewards


def train(model, optimizer, device):
    replay = Replay(1000, device)
    model.cuda()
    for _ in range(10000):
        seen, rewards = replay.sample(32)
        loss = (model(seen) - rewards).pow(2).mean()
        loss.backward()
        optimizer.step()


def start():
    train(torch.nn.Linear(84, 1), torch.optim.SGD([], lr=0.1), torch.device("cuda"))
