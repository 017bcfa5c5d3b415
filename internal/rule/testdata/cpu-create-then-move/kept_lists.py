import torch
from torch import nn

SWAPPED = [2, 1, 0]


class Planes(nn.Module):
    def __init__(self):
        super().__init__()
        self.planes = [[0, 1], [0, 2], [1, 2]]
        self.axes = (0, 2)
        self.register_buffer("order", torch.tensor([2, 0, 1]))
        self.layers = nn.ModuleList(nn.Linear(2, 64) for _ in range(3))

    def forward(self, x):
        a = self.layers[0](x[..., self.planes[0]])  # want SAT312 "self.planes\[0\] is created on the host and copied in every step, to index x"
        b = x[..., self.planes[1]]
        return a.sum() + b.sum() + self.near(x)

    def near(self, x):
        low, high = self.axes
        return x[..., self.order].sum() + x[..., low].sum() + x[..., high].sum()


class Colours(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 64, 3)

    def forward(self, x):
        return self.layer(x[:, SWAPPED])  # want SAT312 "SWAPPED is created on the host"


def train(loader):
    model, colours = Planes().cuda(), Colours().cuda()
    optimizer = torch.optim.AdamW([*model.parameters(), *colours.parameters()], fused=True)
    for x, image in loader:
        loss = model(x.cuda(non_blocking=True)) + colours(image.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
