import taichi as ti
import torch
import triton
from torch import nn

try:
    from numba import njit
except ImportError:

    def njit(function):
        return function


@ti.kernel
def turned(points: ti.types.ndarray(), angle: float):
    """A compiler takes all of it: its turns are threads of one kernel."""
    for i in range(points.shape[0]):
        points[i] = points[i] * ti.cos(angle) + points[i].sum()


@triton.jit
def scaled(points, factor):
    for i in range(points.shape[0]):
        points[i] = points[i] * factor + points[i].sum()


@njit
def shifted(points, by):
    for i in range(points.shape[0]):
        points[i] = points[i] + by + points[i].sum()


def moved(points, by):
    for i in range(points.shape[0]):  # want SAT319 "points"
        points[i] = points[i] + by + points[i].sum()


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 1)

    def forward(self, points):
        turned(points, 0.1)
        scaled[(1,)](points, 2.0)
        shifted(points, 1.0)
        moved(points, 1.0)
        return self.last(points)


def train(loader):
    model = Field().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for points in loader:
        points = points.cuda()
        loss = model(points).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
