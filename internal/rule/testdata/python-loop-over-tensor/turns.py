import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


class Style(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(80, 64, 3)

    def forward(self, x):
        return self.conv(x).mean(-1)


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.body = nn.Conv1d(80, classes, 3, padding=1)
        self.heads = nn.ModuleList(nn.Linear(64, 4) for _ in range(12))
        self.style = Style()

    def forward(self, x):
        return self.body(x)

    def branches(self, h):
        return [head(h) for head in self.heads]

    def styles(self, mel, lengths):
        out = []
        for m, n in zip(mel, lengths):  # want SAT319 "Python calls self.style on one item"
            out.append(self.style(m[:, :n].unsqueeze(0)))
        return torch.cat(out)


def overlap(logits, target, classes):
    guess = logits.argmax(1)
    total = logits.new_zeros(())
    for k in range(classes):  # want SAT319 "launches kernels in each iteration"
        inside = target == k
        total += (guess[inside] == k).float().mean()
    return total / classes


def multi_hot(labels, classes, device):
    rows = torch.zeros(len(labels), classes, device=device)
    for row, names in enumerate(labels):  # want SAT319 "launches kernels in each iteration"
        for name in names:
            rows[row, name] = 1.0
    return rows


def by_owner(points, owner):
    parts = []
    for o in owner.unique().tolist():  # want SAT319 "launches kernels in each iteration"
        parts.append(points[owner == o].amax(0))
    return torch.stack(parts)


def ladder(outputs, target):
    return sum(F.mse_loss(o, target) for o in outputs) + sum(F.mse_loss(o, target) * w for o, w in zip(outputs, (1.0, 0.5)))


def few(logits, target):
    total = 0.0
    for k in range(3):
        total += F.cross_entropy(logits[:, k : k + 1], target == k)
    return total


def train(data, device="cuda"):
    net = Net(20).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), fused=True)
    for mel, lengths, target, labels, owner in DataLoader(data, batch_size=64, num_workers=8, pin_memory=True):
        mel, target, owner = mel.to(device), target.to(device), owner.to(device)
        logits = net(mel)
        style = net.styles(mel, lengths)
        branches = net.branches(style)
        loss = F.cross_entropy(logits, target) + overlap(logits, target, net.classes)
        loss = loss + F.binary_cross_entropy_with_logits(style, multi_hot(labels, 64, device)) + by_owner(style, owner).mean()
        loss = loss + ladder(branches, style) + few(logits, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
