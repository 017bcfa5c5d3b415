import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(256, 4, batch_first=True)
        self.lstm = nn.LSTM(256, 256)

    def forward(self, x, flag):
        a, _ = self.attention(x, x, x, need_weights=False)
        b, weights = self.attention(x, x, x)
        c, _ = self.attention(x, x, x, need_weights=flag)
        d = self.attention(x, x, x)
        e, _ = self.lstm(x)
        return a + b + c + d[0] + e, weights


def train(loader, optimizer):
    model = Block().cuda()
    for x in loader:
        out, weights = model(x.cuda(), True)
        (out.mean() + weights.std()).backward()
        optimizer.step()
