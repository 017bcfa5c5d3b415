import torch
from torch import nn


class Masked(nn.Module):
    def forward(self, logits, y):
        logits = nn.functional.log_softmax(logits, -1)
        keep = logits > -5
        picked = logits[keep]  # want SAT306 "size of logits.keep. depends on GPU values"
        return picked.mean() + logits[logits > 0].sum()  # one finding for both


def rows(out):
    return torch.nonzero(out)  # want SAT306 "torch.nonzero"


def used(out):
    return torch.where(out > 0)  # want SAT306 "torch.where"


def classes(out):
    return len(out.argmax(-1).unique())  # want SAT306 "unique"


def train(model, loader, optimizer):
    criterion = Masked()
    for x, y in loader:
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        losses = out.square()
        loss = loss + losses.masked_select(out > 0).mean()  # want SAT306 "masked_select"
        rows(out), used(out), classes(out)
        loss.backward()
        optimizer.step()
