import random

import numpy as np
import torch


class Replay:
    def __init__(self, capacity):
        self.storage, self.capacity = [], capacity

    def push(self, transition):
        self.storage.append(transition)

    def sample(self, batch_size):
        indices = np.random.randint(0, len(self.storage), size=batch_size)
        states, rewards = [], []
        for i in indices:  # want SAT136 "one by one"
            s, r = self.storage[i]
            states.append(np.array(s, copy=False))
            rewards.append(np.array(r, copy=False))
        return np.array(states), np.array(rewards)


class Stacked(Replay):
    def frames(self, index):
        return np.concatenate([self.storage[index - k] for k in range(4)])

    def draw(self, batch_size):
        batch = []
        while len(batch) < batch_size:  # want SAT136 "one by one"
            batch.append(self.frames(random.randrange(4, len(self.storage))))
        return torch.from_numpy(np.stack(batch))


def pairs(users, seen, items, size):
    random.shuffle(users)
    for at in range(0, len(users), size):
        chosen = users[at : at + size]
        own, other = [], []
        for user in chosen:  # want SAT136 "one by one"
            own.append(random.choice(seen[user]))
            item = random.randint(0, items)
            while item in seen[user]:
                item = random.randint(0, items)
            other.append(item)
        yield own, other


def padded(texts, words, batch_size, width):
    while True:
        ids = np.zeros((batch_size, width), dtype=np.int64)
        for k, text in enumerate(random.sample(texts, batch_size)):  # want SAT136 "one by one"
            numbers = [words.get(w, 0) for w in text.split()]
            ids[k, : len(numbers)] = numbers[:width]
        yield torch.from_numpy(ids)


def flipped(images):
    out = np.empty_like(images)
    for i, image in enumerate(images):  # want SAT136 "one by one"
        out[i] = np.rot90(image, np.random.randint(4))
    return out


def train(model, buffer, optimizer, steps):
    model.to("cuda")
    for step in range(steps):
        states, rewards = buffer.sample(256)
        states = torch.tensor(states, device="cuda")
        loss = (model(states) - torch.tensor(rewards, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_stacked(model, optimizer, steps):
    model.to("cuda")
    buffer = Stacked(10000)
    for step in range(steps):
        loss = model(buffer.draw(256).cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def recommend(model, users, seen, items, optimizer, epochs):
    model.to("cuda")
    for epoch in range(epochs):
        for own, other in pairs(users, seen, items, 1024):
            loss = model(own, other).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def read(model, texts, words, optimizer, steps):
    model.to("cuda")
    stream = padded(texts, words, 64, 128)
    for step in range(steps):
        loss = model(next(stream).cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def see(model, images, optimizer, steps, n):
    model.to("cuda")
    for step in range(steps):
        chosen = np.random.choice(len(images), 128)
        x = torch.from_numpy(flipped(images[chosen])).cuda()
        loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    net = torch.nn.Linear(4, 1)
    train(net, Replay(100000), torch.optim.Adam(net.parameters()), 1000)
