import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(40, 64)

    def forward(self, mel):
        return self.lstm(mel)[0].mean(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(64, 64) for _ in range(4)])

    def forward(self, x):
        for layer in self.layers:  # one layer after the other
            x = layer(x)
        return x


def pairwise(scores, weight):
    rows = torch.tensor([[0.0] * i + [weight] + [0.0] * (9 - i) for i in range(scores.size(1))])  # want SAT319 "number by number"
    return scores + rows.cuda()


def discount(rewards, values, masks, gamma):
    rewards = rewards.cuda()
    total = 0
    for t in reversed(range(rewards.size(0))):  # want SAT319 "steps through rewards"
        delta = rewards[t] + gamma * values[t + 1] * masks[t + 1] - values[t]
        total = delta + gamma * masks[t + 1] * total
    return total


def train(loader, optimizer, weight):
    model, embedder = Model().cuda(), Embedder().cuda()
    for mels, x, lengths in loader:
        embeddings = []
        for mel in mels:  # want SAT319 "calls embedder on one item"
            mel = mel.cuda()
            embeddings.append(embedder(mel))
        x = x.cuda()
        for row, length in zip(x, lengths):  # want SAT319 "computes on x one part"
            embeddings.append(torch.mean(row, dim=0))
        print(x.shape)
        loss = pairwise(model(torch.stack(embeddings)), weight).sum()
        loss = loss + discount(x, x, x, 0.9).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def adversarial(outputs, loader, optimizer, nets, batches):
    for x in loader:
        loss = 0
        outs = [net(x.cuda()) for net in nets]
        for out in outs:  # a list of a few tensors
            loss = loss + torch.mean(out)
        loss.backward()
        optimizer.step()
    model = Model().cuda()
    for group in batches:
        for x in group:  # each turn is a step
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
