import torch
import torch.nn.functional as F
from torch import nn


def dice(logits, target, classes):
    probs = logits.double().softmax(1)  # want SAT423 "logits is computed with in float64 in every step"
    onehot = F.one_hot(target, classes).permute(0, 3, 1, 2).double()
    return 1 - (2 * (probs * onehot).sum() / (probs + onehot).sum())


class Tasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, 128)
        self.criterion = nn.BCEWithLogitsLoss(reduction="none")

    def forward(self, x, y):
        pred = self.body(x)
        known = y**2 > 0
        loss = self.criterion(pred.to(torch.float64), (y + 1) / 2)  # want SAT423 "pred is computed with in float64"
        return torch.where(known, loss, torch.zeros_like(loss)).sum() / known.sum()


def train(loader):
    net, tasks = nn.Conv2d(3, 19, 1).cuda(), Tasks().cuda()
    optimizer = torch.optim.Adam([*net.parameters(), *tasks.parameters()])
    total = torch.zeros((), device="cuda")
    for x, y, z in loader:
        x, y, z = x.cuda(), y.cuda(), z.cuda()
        logits = net(x)
        loss = dice(logits, y, 19) + tasks(z, y) + F.cross_entropy(logits, y)
        total += loss.double()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def whiten(features):
    wide = features.double()
    return torch.inverse(wide.t() @ wide)
