"""Grids that are put together from a list, and tensors of the host that are filled in parts."""
import torch
from einops import repeat
from torch import nn


def grid(shape, flat=True):
    axes = []
    for n in shape:
        step = 1 / n
        axes.append(-1 + step + 2 * step * torch.arange(n).float())
    points = torch.stack(torch.meshgrid(*axes), dim=-1)
    if flat:
        points = points.view(-1, points.shape[-1])
    return points


def grid_there(shape, device):
    axes = []
    for n in shape:
        axes.append(torch.linspace(-1, 1, n, device=device))
    return torch.stack(torch.meshgrid(*axes), dim=-1)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 100, 8))
        self.head = nn.Linear(8, 8)

    def forward(self, x, mask=None):
        at = grid(x.shape[-2:]).cuda().unsqueeze(0)  # want SAT312 "grid.x.shape.-2:.. is created on the host"
        rows = repeat(torch.arange(4), "h -> (h w)", w=5)
        rows = torch.cat((torch.zeros(1), rows + 1)).long()  # want SAT312 "to index self.table"
        depth = torch.ones((x.size(0),)) * 9 + 1
        few = torch.randint(1, 9, (x.size(0),))
        depth[:8] = few[:8]
        depth = depth.to(x.device)  # want SAT312 "torch.ones"
        if mask is None:
            mask = torch.ones(x.size(0), 8).to(x.device)  # want SAT312 "torch.ones"
        held = self.table[:, rows]
        there = grid_there(x.shape[-2:], x.device).to(x.device)
        return self.head(x) * mask + at.sum() + held.sum() + depth.sum() + there.sum()


def train(loader):
    model = Model().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
