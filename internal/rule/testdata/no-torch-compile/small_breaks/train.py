"""What the compiler does not follow, or nothing to gain from it."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(1024, 1024)
        self.wide.register_full_backward_hook(lambda *_: None)

    def forward(self, x):
        return self.wide(x)


def main(loader):
    model = Net().to("cuda")  # want SAT411 "not compiled; recurrent layers, hooks"
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
