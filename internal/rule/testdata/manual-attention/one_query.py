"""A decoder asks its attention for one frame at a time: the weights are a row for each sample, not a square."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, encoded, query):
        weights = self.softmax(torch.bmm(self.linear(query), encoded.transpose(1, 2)))
        return torch.bmm(weights, encoded)


class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.cell = nn.GRU(size, size, batch_first=True)
        self.attention = Attention(size)

    def forward(self, encoded, target):
        state, out = None, []
        for t in range(target.size(1)):
            frame, state = self.cell(target[:, t : t + 1], state)
            out.append(self.attention(encoded, frame))
        return torch.cat(out, 1)


def train(loader, optimizer):
    model = Decoder(256).cuda()
    for x, y in loader:
        loss = model(x.cuda(non_blocking=True), y.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
