import numpy as np
import torch


class Replay:
    def __init__(self, size, device):
        self.device = device
        self.frames = np.empty((size, 3, 64, 64), dtype=np.uint8)
        self.placed = torch.zeros(size, 3, 64, 64, dtype=torch.uint8, device=device)
        self.states = np.empty((size, 8), dtype=np.float64)

    def sample(self, n):
        i = np.random.randint(0, len(self.frames), n)
        frames = torch.as_tensor(self.frames[i]).to(self.device).float()  # bytes are copied
        taken = self.frames[i]
        taken = torch.as_tensor(taken, device=self.device).float()  # there, too
        there = self.placed[i].float()  # on the GPU
        return frames, there, self.states[i].astype(np.float32)

    def show(self):
        return self.frames[0].astype(np.float32)  # not in a step


def train(model, optimizer):
    model.cuda()
    replay = Replay(1000, "cuda")
    for step in range(1000):
        x, there, states = replay.sample(32)
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    replay.show()
