import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from members import load_member


class Members:
    """The turns go over checkpoints, each of which sees all batches."""

    def __init__(self, member, batches):
        self.member, self.batches = member, batches

    def votes(self, scores, parts=50):
        counts = np.zeros(parts)
        for i in range(scores.shape[0]):
            self.member.load_state_dict(torch.load(f"{i}.pth"))
            for batch in range(parts):
                counts += np.bincount(self.member.guess(self.batches[batch]), minlength=parts)
        return counts


def evaluate(model, loader):
    ranks, wanted, guesses, labels = [], [], [], []
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            scores = model(x.cuda())
            ranks.extend(scores.argsort(1).cpu().numpy())
            wanted.extend(y.numpy())
            guesses.append(scores.argmax(1).cpu().numpy())
            labels.append(y.numpy())
    members = Members(load_member(), wanted)
    return members.votes(np.concatenate(guesses))


def train(data, held_out):
    model = nn.Linear(10, 10).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(data, batch_size=64, num_workers=8, pin_memory=True, persistent_workers=True)
    validation = DataLoader(held_out, batch_size=64, num_workers=8, pin_memory=True, persistent_workers=True)
    for epoch in range(100):
        model.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, evaluate(model, validation))
