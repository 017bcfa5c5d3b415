import torch
import torch.nn.functional as F
from torch import nn


class Rows(nn.Module):
    """Attention between the pixels of an image, with rows and columns apart."""

    def __init__(self, channels):
        super().__init__()
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=1)
        weights = torch.einsum("bchw,bcij->bhwij", q, k).contiguous() * c**-0.5
        weights = torch.reshape(weights, (b, h, w, h * w))
        weights = F.softmax(weights, dim=-1)  # want SAT409 "handwritten"
        weights = weights.view(b, h, w, h, w)
        return x + torch.einsum("bhwij,bcij->bchw", weights, v)


class Turned(nn.Module):
    """The values stand before the weights, which are transposed before."""

    def __init__(self, channels):
        super().__init__()
        self.q, self.k, self.v = (nn.Conv2d(channels, channels, 1) for _ in range(3))

    def forward(self, x):
        b, c, h, w = x.shape
        q = self.q(x).reshape(b, c, h * w)
        q = q.permute(0, 2, 1)
        k = self.k(x).reshape(b, c, h * w)
        weights = torch.bmm(q, k) * c**-0.5
        weights = F.softmax(weights, dim=2)  # want SAT409 "handwritten"
        v = self.v(x).reshape(b, c, h * w)
        weights = weights.permute(0, 2, 1)
        return x + torch.bmm(v, weights).reshape(b, c, h, w)


class NonLocal(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.q, self.k, self.v = nn.Conv2d(channels, channels, 1), nn.Conv2d(channels, channels, 1), nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q = self.q(x).view(b, c, -1).permute(0, 2, 1)
        k = self.k(x).view(b, c, -1)
        weights = F.softmax(torch.matmul(q, k), dim=-1)  # want SAT409 "handwritten"
        return x + torch.matmul(weights, self.v(x).view(b, c, -1).permute(0, 2, 1)).permute(0, 2, 1).reshape(b, c, h, w)


class Routed(nn.Module):
    """Not attention: the second operand is a weight."""

    def __init__(self, channels):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(channels, 16))

    def forward(self, x):
        weights = F.softmax(torch.matmul(x.permute(0, 2, 1), self.table), dim=-1)
        return torch.matmul(weights, self.table.t())


class Listed(nn.Module):
    def forward(self, q, k, v):
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k])
        weights = torch.softmax(energy / 16, dim=3)  # want SAT409 "handwritten"
        return torch.einsum("nhql,nlhd->nqhd", [weights, v])


class Channels(nn.Module):
    """Not attention: it weighs positions by one learned vector, and keeps no axis of keys."""

    def __init__(self, channels):
        super().__init__()
        self.score = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        weights = torch.einsum("bct,c->bt", x, self.score)
        weights = F.softmax(weights, dim=-1)
        return torch.einsum("bt,bct->bc", weights, x)


def train(loader):
    model = nn.Sequential(Rows(64), Turned(64), Channels(64), NonLocal(64), Routed(64), Listed()).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
