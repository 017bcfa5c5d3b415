"""Masks that a loop fills by the length of each sample: one comparison says the same."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(80, 80)

    def forward(self, x, lengths):
        b, t, _ = x.shape
        padded = torch.zeros(b, t, dtype=torch.bool, device=x.device)
        for i in range(b):  # want SAT319 "one row at a time"
            padded[i, lengths[i]:] = True
        bias = torch.full((b, t), float("-inf"), device=x.device)
        for i, n in enumerate(lengths):  # want SAT319 "one row at a time"
            bias[i, :n] = 0.0
        both = torch.zeros(b, t, 2, device=x.device)
        for i in range(b):  # want SAT319 "one row at a time"
            both[i, lengths[i]:] = 1.0  # three axes
        window = torch.zeros(b, t, device=x.device)
        for i in range(b):  # want SAT319 "one row at a time"
            window[i, lengths[i] - 2:lengths[i]] = 1.0  # both ends
        return self.layer(x) * window[..., None] + bias[..., None] + padded[..., None] + both.sum()


def train(loader):
    model = Encoder().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, lengths in loader:
        loss = model(x.cuda(), lengths.cuda()).mean()
        loss.backward()
        optimizer.step()
