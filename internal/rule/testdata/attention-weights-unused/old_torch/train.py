import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(256, 4, batch_first=True)
        self.cross = nn.MultiheadAttention(256, 4)

    def forward(self, x, memory, mask):
        out, _ = self.attention(x, x, x, key_padding_mask=mask)  # want SAT417 "weights that nothing reads"
        return x + out + self.cross(x, memory, memory)[0]  # want SAT417 "weights that nothing reads"


def train(loader, optimizer):
    model = Block().cuda()
    for x, m in loader:
        model(x.cuda(), m.cuda(), None).mean().backward()
        optimizer.step()
