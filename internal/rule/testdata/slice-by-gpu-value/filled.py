"""Rows of a mask up to a length of the GPU: one comparison needs no number."""
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(80, 80)

    def forward(self, x, lengths):
        b, t, _ = x.shape
        kept = torch.zeros(b, t, device=x.device)
        for i in range(b):
            kept[i, :lengths[i]] = 1  # want SAT317 "waits for lengths"
        return self.layer(x) * kept[..., None]


def train(loader):
    model = Encoder().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, lengths in loader:
        loss = model(x.cuda(), lengths.cuda()).mean()
        loss.backward()
        optimizer.step()
