import torch
from torch import nn


class Patches(nn.Module):
    """One convolution cuts an image into patches: the rest is a transformer."""

    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 64, 16, stride=16)
        self.attention = nn.MultiheadAttention(64, 4)
        self.norm = nn.LayerNorm(64)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2)
        return self.norm(self.attention(x, x, x, need_weights=False)[0])


def train(loader):
    model = Patches().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
