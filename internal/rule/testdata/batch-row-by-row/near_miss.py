import queue
import random
import threading

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    """Workers put these batches together, ahead of the step."""

    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return self.texts[i]


def collate(texts):
    rows = []
    for text in texts:
        rows.append(np.array([hash(w) % 1000 for w in text.split()]))
    return torch.tensor(np.stack(rows))


class Ahead:
    """A thread of its own makes the batches."""

    def __init__(self, rows, size):
        self.rows, self.size, self.queue = rows, size, queue.Queue(8)
        threading.Thread(target=self.fill, daemon=True).start()

    def fill(self):
        while True:
            self.queue.put(self.make())

    def make(self):
        batch = []
        for i in np.random.randint(0, len(self.rows), size=self.size):
            batch.append(np.log1p(self.rows[i]))
        return np.stack(batch)

    def take(self):
        return self.queue.get()


class Heads(nn.Module):
    """A loop over layers, and one over what the model gave."""

    def __init__(self, n):
        super().__init__()
        self.n = n
        self.heads = nn.ModuleList(nn.Linear(8, 8) for _ in range(n))

    def forward(self, x):
        outs = []
        for i in range(self.n):
            outs.append(self.heads[i](x))
        return torch.stack(outs)


def roll(env, model, length):
    """An environment gives one row after the other."""
    states = []
    state = env.reset()
    for t in range(length):
        state, reward, done, _ = env.step(model(state).argmax().item())
        states.append(np.asarray(state))
    return np.stack(states)


def gather(x, world_size):
    parts = [torch.empty_like(x) for _ in range(world_size)]
    torch.distributed.all_gather(parts, x)
    return torch.cat(parts)


def advantages(rewards, values, gamma=0.99):
    out = np.zeros(len(rewards))
    last = 0.0
    for t in reversed(range(len(rewards))):
        last = rewards[t] + gamma * last - values[t]
        out[t] = last
    return out


def drawn(data, n):
    """One index takes all rows."""
    return torch.from_numpy(data[np.random.randint(0, len(data), n)])


def table(words):
    rows = np.zeros((len(words), 50))
    for i in range(len(words)):
        rows[i] = np.random.randn(50)
    return torch.from_numpy(rows)


def train(texts, rows, data, words, env, optimizer, steps):
    model = Heads(4).to("cuda")
    vectors = table(words).cuda()
    loader = DataLoader(Texts(texts), batch_size=64, num_workers=4, collate_fn=collate)
    ahead = Ahead(rows, 256)
    seen = roll(env, model, 128)
    while steps:
        for batch in loader:
            x = torch.from_numpy(ahead.take()).cuda()
            views = [random.random() for _ in range(2)]
            scales = torch.tensor([v * 2 for v in views], device="cuda")
            y = gather(model(batch.cuda()), torch.distributed.get_world_size())
            loss = (y * scales.sum() - model(x) + model(drawn(data, 64).cuda()) + vectors.sum()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps -= 1
