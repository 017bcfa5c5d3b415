import numpy as np
import torch


class Replay:
    def __init__(self, size, device, symbolic=False):
        self.device = device
        self.frames = np.empty((size, 3, 64, 64), dtype=np.float32 if symbolic else np.uint8)
        self.next = torch.zeros(size, 3, 64, 64, dtype=torch.uint8)
        self.rewards = np.zeros(size, dtype=np.float32)

    def append(self, i, frame):
        self.frames[i] = frame

    def sample(self, n):
        i = np.random.randint(0, len(self.frames), n)
        frames = torch.as_tensor(self.frames[i].astype(np.float32))  # want SAT424 "four times as many"
        after = self.next[i].float() / 255
        rewards = torch.as_tensor(self.rewards[i].astype(np.float32))
        return frames.to(self.device), after.to(self.device), rewards.to(self.device)


class Stored:
    def __init__(self, size):
        self.frames = np.zeros((size, 84, 84), np.uint8)

    def sample(self, n):
        i = np.random.randint(0, len(self.frames), n)
        batch = self.frames[i]
        return torch.tensor(batch, dtype=torch.float32).cuda()  # want SAT424 "four times as many"


def train(model, optimizer):
    model.cuda()
    replay, stored = Replay(1000, "cuda"), Stored(1000)
    for step in range(1000):
        x, after, rewards = replay.sample(32)
        loss = model(x).mean() + model(stored.sample(32)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
