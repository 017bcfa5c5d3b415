import torch
from torch import nn


if hasattr(nn, "SiLU"):
    Swish = nn.SiLU
else:

    class Swish(nn.Module):
        def forward(self, x):
            return x * torch.sigmoid(x)


@torch.jit.script
def fused(x):
    return x * torch.sigmoid(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.weight = nn.Linear(64, 64), nn.Parameter(torch.ones(8, 8))

    def forward(self, x):
        x = x * torch.sigmoid(self.gate(x))  # a gate of its own
        x = x * torch.sigmoid(1.702 * x)  # for which torch has no kernel
        x = (x - x.mean(0, keepdim=True)) / (x.std(0, keepdim=True) + 1e-6)  # over the batch
        y = x.mean(-1, keepdim=True)
        return fused(Swish()(x - y)) / (x.abs().amax() + 1)


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def preview(x):
    return x * torch.sigmoid(x)
