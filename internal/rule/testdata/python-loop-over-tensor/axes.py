import torch
import torch.nn.functional as F
from torch import nn


def loudest(wave):
    return wave / wave.abs().max()


def dice(scores, target, classes=19):
    total = 0
    for c in range(classes):  # want SAT319 "Python computes on scores one part at a time in every step"
        total = total + (scores[:, c] * (target == c)).sum()
    return total


def leaky(u, decay):
    t, state, states = 0, torch.zeros_like(u[:, 0]), []
    while t < u.shape[1]:  # want SAT319 "Python steps through u with a few small operations per iteration"
        state = decay * state + u[:, t]
        states.append(state)
        t += 1
    return torch.stack(states, 1)


def triplets(emb, ids):
    dist = torch.cdist(emb, emb)
    same = ids[:, None] == ids[None]
    far = []
    for i in range(len(ids)):  # want SAT319 "Python computes on dist one part at a time in every step"
        far.append(dist[i][same[i]].max())
    return torch.stack(far).mean()


def confusion(pred, target, counts):
    for p, t in zip(pred.view(-1), target.view(-1)):  # want SAT319 "Python computes on target.view"
        counts[t, p] += 1


def crops(x, size):
    n = x.size(0)
    out = []
    for i in range(n):  # want SAT319 "Python computes on x one part at a time in every step"
        a, b = torch.randint(0, 8, (2,)).tolist()
        out.append(x[i, :, a : a + size, b : b + size])
    return torch.stack(out)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 8)
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(12))
        self.mix = nn.Parameter(torch.ones(12))

    def forward(self, ids):
        h = torch.stack([self.embedding(t) for t in ids.unbind(1)], 1)  # want SAT319 "Python computes on ids one part at a time"
        for k, layer in enumerate(self.layers):
            h = layer(h) * self.mix[k]
        return h


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    counts = torch.zeros(10, 10, device="cuda")
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = net(torch.stack([loudest(w) for w in x]))  # want SAT319 "Python computes on x one part at a time in every step"
        loss = sum(F.cross_entropy(o, t) for o, t in zip(out, y))  # want SAT319 "Python computes on y one part at a time"
        loss = loss + dice(out, y) + triplets(out, y) + leaky(out, 0.9).sum() + crops(out, 4).sum()
        confusion(out.argmax(1), y, counts)
        micro = [net(part).mean() for part in x.chunk(4)]
        loss = loss + sum(micro)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
