"""A tensor that a dict, a function and a loop hand on is still on the GPU; a helper reads it, from several places."""

import torch


def plain(value):
    return value.item()  # want SAT301 "value.item.. waits"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(8, 1)

    def losses(self, x):
        y = self.out(x)
        return {"size": y.abs().mean(), "shape": (y ** 2).mean()}

    def forward(self, x):
        parts = self.losses(x)
        return {"parts": parts, "total": sum(parts.values())}


def shown(result):
    return {name: plain(part) for name, part in result["parts"].items()}  # told SAT301 "a tensor is given here"


def train(loader):
    model = Net().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = []
    for x in loader:
        result = model(x.cuda())
        optimizer.zero_grad()
        result["total"].backward()
        optimizer.step()
        history.append(shown(result))
        history.append(plain(result["total"]))  # told SAT301 "calls plain"
    return history


train(torch.utils.data.DataLoader(torch.rand(64, 8)))
