import torch
from torch import einsum, nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.to_qkv = nn.Conv2d(dim, dim * 3, 1)
        self.out = nn.Conv2d(dim, dim, 1)

    def forward(self, x):
        q, k, v = self.to_qkv(x).flatten(2).chunk(3, 1)
        return self.out(einsum("b i d, b j d -> b i j", q, k))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 64, 3)
        self.middle = nn.Conv2d(64, 64, 3)
        self.attention = Attention(64)
        self.up = nn.ConvTranspose2d(64, 3, 3)

    def forward(self, x):
        return self.up(self.attention(self.middle(self.down(x))))


def train(loader):
    model = Net().cuda()  # want SAT404 "do not use the tensor cores"
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
