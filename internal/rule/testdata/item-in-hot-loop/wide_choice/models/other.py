from torch import nn


class Other(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.net = nn.Linear(size, size)

    def forward(self, x):
        out = self.net(x)
        print(out.mean().item())  # want SAT301 "waits for the GPU in every step"
        return out


def net15(size):
    return Other(size)
