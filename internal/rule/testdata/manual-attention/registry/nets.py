from torch import nn
from zoo import known


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) * x.size(-1) ** -0.5
        weights = scores.softmax(-1)  # want SAT409 "handwritten attention"
        return weights @ self.v(x)


@known("small")
def small():
    return Mixer(64)
