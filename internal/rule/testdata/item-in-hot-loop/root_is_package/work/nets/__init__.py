import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4096, 4096)

    def forward(self, x):
        y = self.layer(x)
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"


def make():
    return Net()
