import torch
from torch import nn

torch.set_float32_matmul_precision("high")


def main(loader):
    model = nn.Linear(10, 10).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
