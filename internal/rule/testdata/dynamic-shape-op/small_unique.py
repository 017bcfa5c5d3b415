import torch
from torch import nn


class Pillars(nn.Module):
    """As many rows as there are different cells: no other size would do."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 8)

    def forward(self, points, cells):
        _, owner, count = torch.unique(cells, return_inverse=True, return_counts=True)  # want SAT306 "has no other size"
        return torch.zeros(count.shape[0], 8, device=points.device).index_add(0, owner, self.last(points))


def busy(features, cells):
    return features[features.sum(-1) > 0], cells.unique()  # want SAT306 "in every step$"


def train(loader):
    model = Pillars().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for points, cells in loader:
        points, cells = points.cuda(), cells.cuda()
        features = model(points, cells)
        kept, seen = busy(features, cells)
        loss = kept.mean() + seen.sum()
        loss.backward()
        optimizer.step()
