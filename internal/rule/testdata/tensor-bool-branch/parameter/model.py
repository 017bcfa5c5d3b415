import torch
from torch import nn


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(8, 8), nn.Linear(8, 8)
        self.sharp = nn.Parameter(torch.tensor(2.0))


def pair_loss(a, b, sharp, cap):
    scale = sharp.exp()
    if scale > 100:  # want SAT305 "waits for the GPU"
        scale = scale.clamp(max=100)
    if cap > 100:
        cap = 100
    return (scale * a @ b.T).log_softmax(-1).diagonal().mean() * -cap
