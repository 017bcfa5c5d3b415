import torch


class First(torch.nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.layer = torch.nn.Linear(width, width)

    def forward(self, x):
        y = self.layer(x)
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"


class Second(First):
    pass


def make(name):
    if name == "first":
        model = First()
    else:
        model = Second()
    return model
